/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Benches: figures, the distributions of latency, and two held together. */
const NINES = ['p50', 'p90', 'p99', 'p99.5', 'p99.9', 'max'];

/* "latency/64/closed/p99" of all benches: by what stands before the last
 * part, a line for each bench. */
function distributions(benches) {
	const groups = new Map();
	benches.forEach((b, i) => {
		for (const f of list(b.figures)) {
			const cut = plain(f.name).lastIndexOf('/'), key = f.name.slice(0, cut);
			const at = NINES.indexOf(f.name.slice(cut + 1));
			if (at < 0)
				continue;
			if (!groups.has(key))
				groups.set(key, benches.map(() => []));
			groups.get(key)[i].push([at, number(f.median)]);
		}
	});
	return groups;
}

function benchCharts(benches, titles) {
	return [...distributions(benches)].map(([key, lines]) => lineChart({
		title: key + ', µs', log: true, dots: true, ticks: NINES.map((_, i) => i), xFormat: i => NINES[i],
		series: lines.map((points, i) => ({name: titles[i], colour: i % 4, dash: i % 4,
			points: points.sort((a, b) => a[0] - b[0])})),
	}));
}

/* The change of a figure with its bounds, on a scale that all share. */
function interval(c, most) {
	const holder = el('span', {}), width = 140, height = 14;
	const all = [c.change, c.low, c.high];
	if (!haveCharts || !all.every(v => typeof v === 'number'))
		return null;
	const x = d3.scale.linear().domain([-most, most]).range([4, width - 4]).clamp(true);
	const svg = d3.select(holder).append('svg').attr('viewBox', [0, 0, width, height])
		.attr('class', 'v-' + c.verdict).style('width', width + 'px')
		.attr('role', 'img').attr('aria-label', `${percent(c.low)} to ${percent(c.high)}`);
	svg.append('line').attr('class', 'zero').attr('x1', x(0)).attr('x2', x(0)).attr('y1', 0).attr('y2', height);
	svg.append('line').attr('class', 'whisker').attr('x1', x(c.low)).attr('x2', x(c.high))
		.attr('y1', height / 2).attr('y2', height / 2);
	svg.append('circle').attr('class', 'mark').attr('cx', x(c.change)).attr('cy', height / 2).attr('r', 3.5);
	return holder;
}

function compareTable(c, titles) {
	const rows = list(c.figures), a = titles[c.a], b = titles[c.b];
	const most = Math.min(1, Math.max(0.1, ...rows.flatMap(f => [Math.abs(number(f.low)), Math.abs(number(f.high))])));
	if (c.refused)
		return [el('h3', {}, `${b} against ${a}`), el('p', {}, 'They are not compared, for their settings differ:'),
			el('pre', {class: 'wrap'}, c.refused)];
	return [el('h3', {}, `${b} against ${a}`),
		el('p', {class: 'said'}, `${b} is `, verdict(c.verdict, plain(c.text)), '.'),
		table([['figure', false], [a, true], [b, true], ['unit', false], ['change', true],
			[`−${whole(most * 100)} % … bounds … +${whole(most * 100)} %`, false], ['verdict', false]],
			rows.map(f => [el('code', {}, plain(f.name)), short(f.a), short(f.b), plain(f.unit), percent(f.change),
				interval(f, most), f.verdict === '-' ? el('span', {class: 'soft'}, 'not judged') : verdict(f.verdict)]))];
}

function benchTable(benches, titles) {
	const all = [...new Set(benches.flatMap(b => list(b.figures).map(f => f.name)))];
	const by = benches.map(b => new Map(list(b.figures).map(f => [f.name, f])));
	const unit = name => by.map(m => m.get(name)).find(f => f).unit;
	return table([['figure', false], ['unit', false]].concat(titles.flatMap(t => [[t, true], ['spread', true]])),
		all.map(name => [el('code', {}, plain(name)), plain(unit(name))].concat(by.flatMap(m => {
			const f = m.get(name);
			return f ? [short(f.median), '±' + number(f.spread_percent).toFixed(1) + ' %'] : ['–', '']; }))));
}

function benchSection(benches) {
	const titles = names(benches, 'label');
	const keys = [...new Set(benches.flatMap(b => Object.keys(object(b.settings))))];
	section('bench', benches.length > 1 ? 'Benches' : 'Bench ' + titles[0],
		facts([['made'].concat(benches.map(b => b.when)), ['host'].concat(benches.map(b => b.host)),
			['verbatim'].concat(benches.map(b => b.version))], [''].concat(titles)),
		data.compares.map(c => compareTable(c, titles)),
		el('h3', {}, 'Distributions of latency'),
		el('div', {class: 'grid'}, benchCharts(benches, titles)),
		el('details', {open: !haveCharts || benches.length === 1}, el('summary', {}, 'All figures: medians of the repeats, and their spread'),
			benchTable(benches, titles)),
		folded('Settings', facts(keys.map(k => [k].concat(benches.map(b => object(b.settings)[k]))), [''].concat(titles))));
}
