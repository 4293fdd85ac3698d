/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Soaks: what each end showed of itself over time. */
const SOAK_PLOTS = [
	{title: 'Messages sent a second', keys: ['sent_per_s']},
	{title: 'Bytes received a second', keys: ['received_bytes_per_s']},
	{title: 'Requests outstanding', keys: ['outstanding']},
	{title: 'Receives posted', keys: ['rq_depth']},
	{title: 'Completions waiting in the CQ', keys: ['cq_occupancy']},
	{title: 'Completions a poll', keys: ['poll_batch']},
	{title: 'RNR NAKs received a second', keys: ['rnr_received']},
	{title: 'Retries a second', keys: ['retries']},
	{title: 'Memory, MiB', keys: ['memory_bytes'], scale: 1 / 1048576, floating: true},
	{title: 'File descriptors', keys: ['fds'], floating: true},
	{title: 'Waiting for a processor, s a second', keys: ['starved_s']},
];
const SOAK_LATENCY = ['p50', 'p99', 'p99.9', 'max'];

/* An hour is not read in thousands of seconds. */
function soakUnit(samples) {
	const last = samples.length ? number(samples[samples.length - 1].at_s) : 0;
	return last > 3 * 3600 ? [3600, ' h'] : last > 180 ? [60, ' min'] : [1, ' s'];
}

function soakSeries(samples, end, get, name, colour, dash) {
	const unit = soakUnit(samples)[0];
	return {name, colour, dash, points: samples.map(s => [number(s.at_s) / unit, get(object(s[end]))])
		.filter(p => typeof p[1] === 'number')};
}

function soakPlot(samples, plot) {
	const get = x => typeof x[plot.keys[0]] === 'number' ? x[plot.keys[0]] * (plot.scale || 1) : undefined;
	return lineChart({title: plot.title, floating: plot.floating, xFormat: t => short(t) + soakUnit(samples)[1],
		series: [soakSeries(samples, 'a', get, 'a', 0, 0), soakSeries(samples, 'b', get, 'b', 1, 1)]});
}

function soakLatency(samples, end) {
	const moved = samples.filter(s => number(object(object(s[end]).latency_us).count) > 0);
	return lineChart({title: `Latency of end ${end}, µs`, log: true, xFormat: t => short(t) + soakUnit(samples)[1],
		series: SOAK_LATENCY.map((p, i) => soakSeries(moved, end, x => object(x.latency_us)[p], p, i, i))});
}

function soakRows(samples) {
	const rows = [];
	const add = (title, get) => {
		for (const end of ['a', 'b']) {
			const v = samples.map(s => get(object(s[end]))).filter(x => typeof x === 'number').sort((x, y) => x - y);
			if (v.length)
				rows.push([title, end, short(v[0]), short(v[v.length >> 1]), short(v[v.length - 1])]);
		}
	};
	for (const p of SOAK_PLOTS)
		add(p.title, x => typeof x[p.keys[0]] === 'number' ? x[p.keys[0]] * (p.scale || 1) : undefined);
	for (const p of SOAK_LATENCY)
		add(`Latency ${p}, µs`, x => object(x.latency_us)[p]);
	return rows;
}

function soakSaid(soak) {
	const end = soak.end;
	if (!end)
		return [el('p', {class: 'said'}, 'The soak did not come to its end: these are the samples that there are.')];
	const drifts = list(end.drifts), findings = list(end.findings);
	return [
		el('p', {class: 'said'}, verdict(end.verdict), ` ${whole(end.messages)} messages, ${short(number(end.bytes))}B, in ` +
			seconds(number(end.measured_s) * 1000) + (end.cut_short ? ', cut short.' : '.')),
		end.error ? el('p', {class: 'note'}, end.error) : null,
		drifts.length || findings.length ? el('ul', {},
			drifts.map(d => el('li', {}, el('strong', {}, `Drift of end ${plain(d.end)}, ${plain(d.kind)}: `), plain(d.text))),
			findings.map(f => el('li', {}, el('strong', {}, `${plain(f.kind)}: `), plain(f.text))))
			: el('p', {}, 'No finding, and no drift.'),
		number(end.samples_starved) > 0 ? el('p', {class: 'note'},
			`A busy host: in ${whole(end.samples_starved)} of ${plural(number(end.samples), 'second', 'seconds')} an end waited ` +
			'for a processor. Of backlog and rate these were not judged.') : null,
		el('p', {class: 'soft'}, [plural(number(end.rnr), 'RNR NAK', 'RNR NAKs'), plural(number(end.retries), 'retry', 'retries'),
			plural(number(end.reconnects), 'reconnect', 'reconnects'), `seed ${plain(object(soak.start).seed)}`].join(' · ')),
	];
}

function soakSection(soak, name, index) {
	const start = object(soak.start), settings = object(start.settings), samples = list(soak.samples);
	const each = number(soak.seconds_each);
	section('soak-' + index, data.soaks.length > 1 ? 'Soak ' + name : 'Soak',
		el('p', {class: 'soft'}, soak.name), soakSaid(soak),
		each > 1 ? el('p', {class: 'soft'}, `Each point stands for ${each} samples: rates are their mean, all else the largest of them.`) : null,
		el('div', {class: 'grid'}, soakLatency(samples, 'a'), soakLatency(samples, 'b'),
			SOAK_PLOTS.map(p => soakPlot(samples, p))),
		el('details', {open: !haveCharts}, el('summary', {}, 'Samples in numbers'),
			table([['', false], ['end', false], ['least', true], ['median', true], ['most', true]], soakRows(samples))),
		start.here ? folded('Device and host', ends(start)) : null,
		folded('Settings', facts([['seed', start.seed]].concat(Object.entries(settings)))));
}
