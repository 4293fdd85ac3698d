/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Charts in SVG: their colours are the style sheet's, so that they are right on
 * paper and in the dark.  Lines differ in dashes too, and carry their names. */
const CHART_HEIGHT = 190;

/* draw(svg, width) once the page is laid out, and again when there is more or
 * less room. */
const drawings = [];

function chart(title, caption, height, draw) {
	const holder = el('div', {});
	const figure = el('figure', {}, title ? el('h4', {}, title) : null, holder,
		caption ? el('figcaption', {}, caption) : null);
	let drawn = 0;
	if (!haveCharts)
		return null;
	drawings.push(() => {
		const width = Math.round(holder.clientWidth);
		if (width < 50 || width === drawn)
			return;
		drawn = width;
		holder.textContent = '';
		draw(d3.select(holder).append('svg').attr('viewBox', `0 0 ${width} ${height}`)
			.attr('role', 'img').attr('aria-label', title || caption || 'chart'), width);
	});
	return figure;
}

/* An axis without its line. */
function bare(g) {
	g.select('.domain').remove();
}

/* Names at the right ends of lines, pushed apart. */
function labels(svg, wanted, x, low, high) {
	const sorted = wanted.slice().sort((a, b) => a.y - b.y);
	sorted.forEach((w, i) => {
		w.at = Math.max(w.y, i ? sorted[i - 1].at + 12 : low);
	});
	for (let i = sorted.length - 1, roof = high; i >= 0; i--) {
		sorted[i].at = Math.min(sorted[i].at, roof);
		roof = sorted[i].at - 12;
	}
	for (const w of sorted)
		svg.append('text').attr('class', 'c' + w.colour).attr('x', x).attr('y', w.at)
			.attr('dy', '0.32em').text(w.name);
}

function extent(series, at) {
	const all = series.flatMap(s => s.points.map(p => p[at])).filter(v => isFinite(v));
	return all.length ? [Math.min(...all), Math.max(...all)] : [0, 1];
}

function yScale(o, height, top) {
	let [low, high] = extent(o.series, 1);
	if (o.log) {
		/* What is not above zero has no place there, and is not drawn. */
		const above = o.series.flatMap(s => s.points.map(p => p[1])).filter(v => isFinite(v) && v > 0);
		low = above.length ? Math.min(...above) : 1;
		low = Math.max(low, high / 1e9, 1e-6);
		return d3.scale.log().domain([low, Math.max(high, low * 1.1)]).range([height, top]).nice();
	}
	/* A level is not shown as drama: zero belongs to it, but for memory. */
	if (!o.floating)
		low = Math.min(0, low);
	if (high <= low)
		high = low + 1;
	return d3.scale.linear().domain([low, high]).range([height, top]).nice();
}

/* o: title, caption, log, floating, xLog, ticks, format, xFormat, dots,
 * series: [{name, points: [[x, y]], colour, dash}] */
function lineChart(o) {
	o.series = o.series.filter(s => s.points.length);
	if (!o.series.length)
		return null;
	return chart(o.title, o.caption, CHART_HEIGHT, (svg, width) => {
		const longest = Math.max(...o.series.map(s => s.name.length));
		const left = 46, right = width - 10 - longest * 6.6, top = 8;
		const bottom = CHART_HEIGHT - 24;
		const y = yScale(o, bottom, top);
		let domain = extent(o.series, 0);
		if (domain[0] === domain[1])
			domain = o.xLog ? [domain[0] / 2, domain[0] * 2] : [domain[0], domain[0] + 1];
		const x = (o.xLog ? d3.scale.log().base(2) : d3.scale.linear()).domain(domain)
			.range([left, right]);
		const across = d3.svg.axis().scale(x).orient('bottom').innerTickSize(5)
			.outerTickSize(0).tickFormat(o.xFormat || short);
		if (o.ticks)
			across.tickValues(o.ticks);
		else
			across.ticks(Math.max(2, Math.floor((right - left) / 70)));
		svg.append('g').attr('transform', `translate(0,${bottom})`).call(across);
		const up = d3.svg.axis().scale(y).orient('left').tickSize(left - right).tickFormat(o.format || short);
		if (o.log)
			up.tickValues(y.ticks().filter(v => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-6));
		else
			up.ticks(5);
		/* Between 11.61 and 11.62 three digits are not enough. */
		if (o.floating)
			up.tickFormat(y.tickFormat(5));
		svg.append('g').attr('transform', `translate(${left},0)`).call(up)
			.call(bare);
		const line = d3.svg.line().defined(p => isFinite(p[1]) && (!o.log || p[1] > 0))
			.x(p => x(p[0])).y(p => y(p[1]));
		for (const s of o.series) {
			svg.append('path').attr('class', `line c${s.colour} d${s.dash}`).attr('d', line(s.points));
			if (o.dots)
				svg.append('g').selectAll('circle').data(s.points.filter(line.defined())).enter()
					.append('circle').attr('class', `dot c${s.colour}`).attr('r', 2.6)
					.attr('cx', p => x(p[0])).attr('cy', p => y(p[1]))
					.append('title').text(p => `${s.name}: ${short(p[1])} at ${short(p[0])}`);
		}
		labels(svg, o.series.map(s => {
			const last = s.points.filter(line.defined()).pop();
			return {name: s.name, colour: s.colour, y: last ? y(last[1]) : bottom};
		}), right + 6, top, bottom);
	});
}

/* o: title, caption, xs, ys, xName, yName, value(x, y) */
function heatMap(o) {
	const values = o.ys.flatMap(y => o.xs.map(x => o.value(x, y))).filter(v => typeof v === 'number');
	const low = Math.min(...values), high = Math.max(...values), row = 30;
	if (!values.length)
		return null;
	return chart(o.title, o.caption, o.ys.length * row + 44, (svg, width) => {
		const left = 64, bottom = o.ys.length * row;
		const x = d3.scale.ordinal().domain(o.xs).rangeBands([left, width], 0.04);
		const y = d3.scale.ordinal().domain(o.ys).rangeBands([0, bottom], 0.06);
		for (const b of o.ys)
			for (const a of o.xs) {
				const v = o.value(a, b), part = high > low ? (v - low) / (high - low) : 0;
				if (typeof v !== 'number')
					continue;
				svg.append('rect').attr('x', x(a)).attr('y', y(b)).attr('width', x.rangeBand())
					.attr('height', y.rangeBand()).attr('rx', 3)
					.style('fill', 'var(--heat-high)').style('fill-opacity', 0.07 + 0.93 * part);
				svg.append('text').attr('x', x(a) + x.rangeBand() / 2).attr('y', y(b) + y.rangeBand() / 2)
					.attr('dy', '0.35em').attr('text-anchor', 'middle')
					.style('fill', part > 0.55 ? 'var(--paper)' : 'var(--ink)').text(short(v));
			}
		svg.append('g').attr('transform', `translate(0,${bottom})`)
			.call(d3.svg.axis().scale(x).orient('bottom').tickSize(0).tickPadding(6)).call(bare);
		svg.append('g').attr('transform', `translate(${left},0)`)
			.call(d3.svg.axis().scale(y).orient('left').tickSize(0).tickPadding(6)).call(bare);
		svg.append('text').attr('x', (left + width) / 2).attr('y', bottom + 36)
			.attr('text-anchor', 'middle').text(o.xName);
		svg.append('text').attr('transform', `translate(14,${bottom / 2}) rotate(-90)`)
			.attr('text-anchor', 'middle').text(o.yName);
	});
}
