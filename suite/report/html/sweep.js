/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sweeps: curves and heat maps over receive queue depth and messages in
 * flight; other axes make groups. */
const SWEEP_COLUMNS = [['size', 'size'], ['qps', 'qps'], ['batch', 'batch'], ['rq_depth', 'RQ depth'],
	['inflight', 'in flight'], ['messages_per_s', 'msg/s'], ['bytes_per_s', 'B/s'], ['rnr', 'RNR'],
	['retries', 'retries'], ['p50_us', 'p50 µs'], ['p99_us', 'p99 µs']];

function ascending(values) {
	return [...new Set(values)].sort((a, b) => a - b);
}

function sweepCurves(cells, title, get, log) {
	/* Four lines can be told apart; the heat map has all. */
	let depths = ascending(cells.map(c => c.rq_depth));
	if (depths.length > 4)
		depths = [0, 1, 2, 3].map(i => depths[Math.round(i * (depths.length - 1) / 3)]);
	const inflights = ascending(cells.map(c => c.inflight));
	return lineChart({title, log, xLog: true, dots: true, ticks: inflights.length <= 9 ? inflights : undefined,
		caption: 'over messages in flight, a line for each RQ depth',
		series: depths.map((d, i) => ({name: 'RQ ' + d, colour: i, dash: i,
			points: cells.filter(c => c.rq_depth === d).sort((a, b) => a.inflight - b.inflight)
				.map(c => [c.inflight, get(c)])}))});
}

function sweepMap(cells, title, get) {
	const at = new Map(cells.map(c => [c.inflight + '/' + c.rq_depth, c]));
	return heatMap({title, xs: ascending(cells.map(c => c.inflight)),
		ys: ascending(cells.map(c => c.rq_depth)).reverse(), xName: 'messages in flight', yName: 'RQ depth',
		value: (x, y) => at.has(x + '/' + y) ? get(at.get(x + '/' + y)) : undefined});
}

function sweepGroup(cells, title) {
	const rnr = c => number(c.messages) ? number(c.rnr) / c.messages : 0;
	return [title ? el('h3', {}, title) : null, el('div', {class: 'grid'},
		sweepCurves(cells, 'Messages a second', c => number(c.messages_per_s)),
		sweepMap(cells, 'Messages a second', c => number(c.messages_per_s)),
		sweepCurves(cells, 'RNR NAKs a message', rnr), sweepMap(cells, 'RNR NAKs a message', rnr),
		sweepCurves(cells, 'Latency p99, µs', c => number(c.p99_us), true),
		sweepMap(cells, 'Latency p99, µs', c => number(c.p99_us)))];
}

function sweepSection(sweep, name, index) {
	const cells = list(sweep.cells).map(object), groups = new Map();
	for (const c of cells) {
		const key = `${plain(c.size)} bytes, ${plural(number(c.qps), 'queue pair', 'queue pairs')}, batch ${plain(c.batch)}`;
		groups.set(key, (groups.get(key) || []).concat(c));
	}
	section('sweep-' + index, data.sweeps.length > 1 ? 'Sweep ' + name : 'Sweep',
		el('p', {class: 'soft'}, sweep.name),
		el('ul', {}, list(sweep.knees).map(k => el('li', {}, plain(k)))),
		[...groups].map(([title, of]) => sweepGroup(of, title)),
		el('details', {open: !haveCharts}, el('summary', {}, `All ${plural(cells.length, 'combination', 'combinations')}`),
			table(SWEEP_COLUMNS.map(c => [c[1], true]), cells.map(c => SWEEP_COLUMNS.map(([k]) =>
				['size', 'qps', 'batch', 'rq_depth', 'inflight'].includes(k) ? plain(c[k]) : short(c[k]))))),
		folded('Settings', facts(Object.entries(object(sweep.settings)))));
}
