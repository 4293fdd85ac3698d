/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of cases with its filters, and what is known of each failure. */
const OPEN_AT_FIRST = 3;

function caseAnchor(index, n) {
	return `run-${index}-case-${n}`;
}

function bad(c) {
	return c.verdict === 'fail' || c.verdict === 'broken' || c.verdict === 'deviation';
}

function why(c) {
	const reason = c.reason ? (c.finding ? c.finding + ': ' : '') + c.reason : '';
	const known = c.deviation ? plain(object(c.deviation).reason) + ': ' : '';
	return known + reason;
}

function caseRow(c, index, n) {
	const id = el('code', {}, plain(c.id));
	return el('tr', {'data-verdict': c.verdict, 'data-topic': topicOf(c.id)},
		el('td', {}, verdict(c.verdict)),
		el('td', {class: 'id'}, bad(c) ? el('a', {href: '#' + caseAnchor(index, n)}, id) : id),
		el('td', {class: 'why'}, why(c) || el('span', {class: 'soft'}, plain(c.title))),
		el('td', {class: 'number'}, whole(c.checks)),
		el('td', {class: 'number'}, seconds(c.duration_ms)));
}

function verdictBoxes(run, change) {
	const n = tally(run);
	return VERDICTS.filter(v => n[v]).map(v => el('label', {},
		el('input', {type: 'checkbox', checked: true, value: v}), ' ', verdict(v), ` ${whole(n[v])}`));
}

function caseTable(run, index) {
	const topics = [...new Set(run.cases.map(c => topicOf(c.id)))].sort();
	const boxes = el('span', {class: 'filters', role: 'group', 'aria-label': 'verdicts'}, verdictBoxes(run));
	const topic = el('select', {}, el('option', {value: ''}, 'all topics'),
		topics.map(t => el('option', {value: t}, t)));
	const text = el('input', {type: 'search', placeholder: 'case, reason, rule', 'aria-label': 'text'});
	const count = el('span', {class: 'soft', 'aria-live': 'polite'});
	const rows = run.cases.map((c, n) => caseRow(c, index, n));
	const words = run.cases.map(c => [c.id, c.title, why(c), c.diagnosis, ...list(c.rules)]
		.map(plain).join(' ').toLowerCase());
	const change = () => {
		const on = new Set([...boxes.querySelectorAll('input')].filter(b => b.checked).map(b => b.value));
		const wanted = text.value.toLowerCase().split(/\s+/).filter(w => w);
		let shown = 0;
		rows.forEach((row, i) => {
			row.hidden = !on.has(row.dataset.verdict) ||
				(topic.value && topic.value !== row.dataset.topic) ||
				!wanted.every(w => words[i].includes(w));
			shown += row.hidden ? 0 : 1;
		});
		count.textContent = `${whole(shown)} of ${whole(rows.length)} shown`;
	};
	for (const control of [boxes, topic, text])
		control.addEventListener('input', change);
	change();
	return [
		el('div', {class: 'filters', role: 'search', 'aria-label': 'filter of the cases'}, boxes,
			el('label', {}, 'topic ', topic), text, count),
		el('table', {class: 'cases'},
			el('thead', {}, el('tr', {}, ['verdict', 'case', 'reason, or what it shows'].map(h =>
				el('th', {scope: 'col'}, h)), ['checks', 'time'].map(h =>
				el('th', {scope: 'col', class: 'number'}, h)))),
			el('tbody', {}, rows)),
	];
}

function shellWord(word) {
	const text = plain(word);
	return /^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";
}

function failure(run, c, index, n, open) {
	const deviation = object(c.deviation);
	return el('details', {class: 'case', id: caseAnchor(index, n), open: open},
		el('summary', {}, verdict(c.verdict), el('code', {class: 'id'}, plain(c.id)),
			c.finding ? el('span', {}, c.finding) : null),
		el('div', {},
			c.title ? el('p', {class: 'soft'}, c.title) : null,
			el('p', {}, plain(c.reason)),
			c.diagnosis ? el('p', {class: 'diagnosis'}, el('strong', {}, 'Likely cause: '),
				c.diagnosis.replace(/^likely cause: /, '')) : null,
			c.deviation ? el('p', {class: 'diagnosis'}, el('strong', {}, 'Known deviation: '),
				plain(deviation.reason), ' (', plain(deviation.source), ')') : null,
			el('p', {class: 'soft'}, [list(c.rules).length ? `rules ${c.rules.map(plain).join(' ')}` : '', `seed ${plain(c.seed)}`,
				`${plural(number(c.checks), 'check', 'checks')} held`, seconds(c.duration_ms)].filter(t => t).join(' · ')),
			list(c.notes).length ? el('ul', {class: 'mono'}, c.notes.map(t => el('li', {}, plain(t)))) : null,
			el('p', {}, 'Again: ', el('code', {}, `verbatim replay ${shellWord(run.name)} ${shellWord(c.id)}`)),
			c.scene_text ? folded('Scene: dashboard, first errors, flight recorder', el('pre', {tabindex: 0}, c.scene_text))
				: c.scene ? el('p', {class: 'soft'}, `The scene ${plain(c.scene)} is not there.`) : null));
}

function failures(run, index) {
	let opened = 0;
	const all = run.cases.map((c, n) => [c, n]).filter(([c]) => bad(c));
	if (!all.length)
		return el('p', {}, 'None: no case failed, was broken or deviates.');
	return all.map(([c, n]) => failure(run, c, index, n, c.verdict !== 'deviation' && opened++ < OPEN_AT_FIRST));
}
