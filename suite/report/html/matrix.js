/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs of the matrix: what came of them, where, and when. */
function topicOf(id) {
	return plain(id).split('/')[0];
}

function tally(run) {
	const counts = Object.fromEntries(VERDICTS.map(v => [v, 0]));
	for (const c of run.cases)
		if (c.verdict in counts)
			counts[c.verdict]++;
	return counts;
}

function conclusion(run) {
	const n = tally(run), bad = n.fail + n.broken, all = run.cases.length;
	const selected = number(object(run.start).selected);
	let text = bad ? `${plural(n.fail, 'case', 'cases')} failed` +
		(n.broken ? ` and ${plural(n.broken, 'was', 'were')} broken` : '') + ` of ${whole(all)}.`
		: `Nothing failed in ${plural(all, 'case', 'cases')}.`;
	if (!run.end)
		text += ` The run did not come to its end: ${whole(all)} of ${whole(selected)} cases are known` +
			(run.open ? `, and ${plain(run.open)} was running.` : '.');
	else if (run.end.interrupted)
		text += ` The run ended early: ${plain(run.end.interrupted)}.`;
	return text;
}

function tallyList(run) {
	const n = tally(run), all = run.cases.length || 1;
	return [
		el('ul', {class: 'tally'}, VERDICTS.map(v =>
			el('li', {}, el('b', {}, whole(n[v])), verdict(v)))),
		el('div', {class: 'bar', 'aria-hidden': 'true'}, VERDICTS.filter(v => n[v]).map(v =>
			el('span', {class: 'v-' + v, style: `flex-grow: ${n[v] / all}`}))),
	];
}

/* One end as it tells of itself, in rows that both have. */
const END_FACTS = [['host', 'host'], ['kernel', 'kernel'], ['cpu', 'CPU'], ['cpus', 'CPUs'], ['rdma_core', 'rdma-core'],
	['device', 'device'], ['name', 'device'], ['kind', 'kind'], ['firmware', 'firmware'],
	['vendor_id', 'vendor'], ['vendor_part_id', 'part'], ['port', 'port'], ['state', 'state'],
	['link_layer', 'link layer'], ['active_mtu', 'active MTU'], ['mtu', 'path MTU'],
	['gid_index', 'GID index'], ['gid', 'GID'], ['gid_type', 'GID type'], ['connect', 'connected by'],
	['cm_address', 'CM address']];

function ends(start) {
	const device = object(start.device), here = object(start.here), peer = object(start.peer);
	const two = start.here && start.peer;
	const known = new Set(END_FACTS.map(f => f[0]).concat('cm_alone', 'lacks'));
	const more = Object.keys({...device, ...here, ...peer}).filter(k => !known.has(k)).sort();
	const of = (key, end) => {
		const value = end[key] !== undefined ? end[key] : end === peer ? undefined : device[key];
		/* As everybody else writes it. */
		return key === 'vendor_id' && typeof value === 'number' ? '0x' + value.toString(16).padStart(6, '0') : value;
	};
	const rows = END_FACTS.concat(more.map(k => [k, k.replace(/_/g, ' ')]));
	/* The name of the device stands under "device" where a host tells of itself. */
	const told = start.here ? rows.filter(r => r[0] !== 'name') : rows;
	if (!two)
		return facts(told.map(([k, t]) => [t, of(k, here)]), ['', 'ends a and b']);
	const [a, b] = start.peer_end === 'a' ? [peer, here] : [here, peer];
	return facts(told.map(([k, t]) => [t, of(k, a), of(k, b)]),
		['', start.peer_end === 'a' ? 'end a (peer)' : 'end a', start.peer_end === 'a' ? 'end b' : 'end b (peer)']);
}

function runFacts(run) {
	const start = object(run.start), end = object(run.end), options = object(start.options);
	return facts([
		['folder', run.name], ['verbatim', start.version], ['begun', start.time],
		['took', run.end ? seconds(end.duration_ms) : null], ['seed', start.seed],
		['options', Object.entries(options).map(([k, v]) => `--${k} ${plain(v)}`).join(' ')],
	]);
}

/* Cases ran one after the other: where each began is the sum of those before. */
function timeLine(run) {
	const topics = [...new Set(run.cases.map(c => topicOf(c.id)))], row = 15;
	const height = topics.length * row + 26;
	let at = 0;
	const bars = run.cases.map(c => {
		const from = at;
		at += Math.max(number(c.duration_ms), 0.5);
		return {c, from, to: at, y: topics.indexOf(topicOf(c.id)) * row};
	});
	if (!bars.length)
		return null;
	return chart('Time line', 'Cases in the order in which they ran, a line for each topic; only the time in cases is counted.', height, (svg, width) => {
		const left = Math.max(...topics.map(t => t.length)) * 6.4 + 12;
		const x = d3.scale.linear().domain([0, at / 1000]).range([left, width - 8]);
		svg.append('g').attr('transform', `translate(0,${height - 22})`)
			.call(d3.svg.axis().scale(x).orient('bottom').ticks(Math.max(2, Math.floor(width / 110)))
				.tickSize(-(height - 22)).tickPadding(6)
				.tickFormat(s => short(s) + ' s')).call(bare);
		topics.forEach((t, i) => svg.append('text').attr('x', left - 8).attr('y', i * row + row / 2)
			.attr('dy', '0.35em').attr('text-anchor', 'end').text(t));
		for (const b of bars) {
			const bad = b.c.verdict === 'fail' || b.c.verdict === 'broken';
			const g = svg.append('g').attr('class', 'v-' + b.c.verdict);
			g.append('rect').attr('class', 'mark').attr('x', x(b.from / 1000)).attr('y', b.y + (bad ? 1 : 3))
				.attr('width', Math.max(1.5, x(b.to / 1000) - x(b.from / 1000) - 0.5))
				.attr('height', bad ? row - 2 : row - 6);
			if (bad)
				g.append('text').attr('class', 'mark').attr('x', x(b.to / 1000) + 2).attr('y', b.y + row / 2)
					.attr('dy', '0.35em').text(b.c.verdict === 'fail' ? '✕' : '!');
			g.append('title').text(`${plain(b.c.id)}: ${plain(b.c.verdict)}, ${seconds(b.c.duration_ms)}`);
		}
	});
}

/* Of all cases: [id, the case in each run]. */
function casesOf(runs) {
	const ids = [...new Set(runs.flatMap(r => r.cases.map(c => c.id)))];
	const by = runs.map(r => new Map(r.cases.map(c => [c.id, c])));
	return ids.map(id => [id, by.map(m => m.get(id))]);
}

function runsCompared(runs) {
	const names_ = names(runs), all = casesOf(runs);
	const word = c => c ? c.verdict + (c.finding ? ': ' + c.finding : '') : '';
	const everywhere = all.filter(([, cs]) => cs.every(c => c)), here = all.filter(([, cs]) => !cs.every(c => c));
	const changed = everywhere.filter(([, cs]) => new Set(cs.map(word)).size > 1);
	const verdictOf = c => c ? [verdict(c.verdict), c.finding ? el('span', {class: 'soft'}, ' ' + c.finding) : null]
		: el('span', {class: 'soft'}, 'not run');
	const shown = rows => table([['case', false]].concat(names_.map(n => [n, false])),
		rows.map(([id, cs]) => [el('code', {}, plain(id))].concat(cs.map(c => el('span', {}, verdictOf(c))))),
		{class: 'changes'});
	return section('comparison', 'Comparison of runs',
		table([['', false]].concat(names_.map(n => [n, true])),
			VERDICTS.map(v => [verdict(v)].concat(runs.map(r => whole(tally(r)[v]))))),
		el('h3', {}, 'Verdicts that changed'),
		changed.length ? shown(changed)
			: el('p', {}, everywhere.length ? `None: ${plural(everywhere.length, 'case has', 'cases have')} the same verdict in all runs.`
				: 'No case is in all of these runs.'),
		here.length ? folded(plural(here.length, 'case', 'cases') + ' that not every run has', shown(here)) : null);
}

function runSection(run, name, index) {
	section('run-' + index, data.runs.length > 1 ? 'Run ' + name : 'Summary',
		el('p', {class: 'said'}, conclusion(run)), tallyList(run),
		el('div', {class: 'pair'}, el('div', {}, el('h3', {}, 'Run'), runFacts(run)),
			el('div', {}, el('h3', {}, 'Device and host'), ends(object(run.start)))),
		list(object(run.end).stale).map(s => el('p', {class: 'note'},
			`Stale: the listed deviation of ${plain(s.id)} no longer occurs (${plain(s.reason)}).`)),
		el('h3', {}, 'Failures'), failures(run, index),
		el('h3', {}, 'Verdicts'), caseTable(run, index), timeLine(run));
}
