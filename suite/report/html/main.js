/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The page from top to bottom. */
function sections() {
	const runNames = names(data.runs), soakNames = names(data.soaks), sweepNames = names(data.sweeps);
	if (!haveCharts)
		document.getElementById('main').append(el('p', {class: 'note'},
			'There are tables instead of charts: the charting library (D3) was not installed where this program was built.'));
	if (data.runs.length > 1)
		runsCompared(data.runs);
	data.runs.forEach((r, i) => runSection(r, runNames[i], i));
	data.soaks.forEach((s, i) => soakSection(s, soakNames[i], i));
	data.sweeps.forEach((s, i) => sweepSection(s, sweepNames[i], i));
	if (data.benches.length)
		benchSection(data.benches);
}

function frame() {
	const parts = [[data.runs, 'run', 'runs'], [data.soaks, 'soak', 'soaks'], [data.sweeps, 'sweep', 'sweeps'],
		[data.benches, 'bench', 'benches']].filter(([l]) => l.length).map(([l, one, many]) => plural(l.length, one, many));
	const start = object(object(data.runs[0]).start), device = object(start.device);
	const what = data.runs.length === 1 && device.name ? ` on ${device.name}` + (start.time ? `, ${start.time}` : '') : '';
	document.getElementById('subtitle').textContent = parts.join(', ') + what;
	document.title = `verbatim report: ${parts.join(', ')}${what}`;
	document.getElementById('colophon').textContent =
		`Made by verbatim ${plain(data.version)} on ${plain(data.made)}. All of it is in this file.`;
	if (contents.length > 1)
		document.getElementById('contents').append(el('ul', {}, contents.map(([id, title]) =>
			el('li', {}, el('a', {href: '#' + id}, title)))));
	document.getElementById('licence').hidden = !haveCharts;
}

/* A link to a failure opens it; on paper all are open, but for their scenes. */
function reveal() {
	const node = location.hash ? document.getElementById(location.hash.slice(1)) : null;
	if (node && node.tagName === 'DETAILS') {
		node.open = true;
		node.scrollIntoView();
	}
}

function drawAll() {
	for (const draw of drawings)
		draw();
}

sections();
frame();
drawAll();
reveal();
window.addEventListener('resize', drawAll);
window.addEventListener('hashchange', reveal);
window.addEventListener('beforeprint', () => {
	for (const node of document.querySelectorAll('details.case'))
		node.open = true;
});
