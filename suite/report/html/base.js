/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Elements, numbers and the page's frame.  Whatever comes from the data goes
 * through el(), which makes text of it. */
const data = JSON.parse(document.getElementById('data').textContent);
const haveCharts = typeof d3 !== 'undefined';
const VERDICTS = ['pass', 'fail', 'broken', 'deviation', 'skip'];

/* el('td', {class: 'x'}, 'text', node, [nodes], null) */
function el(tag, attributes, ...children) {
	const node = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {})) {
		if (typeof value === 'boolean')
			node[name] = value;
		else if (value !== null && value !== undefined)
			node.setAttribute(name, String(value));
	}
	for (const child of children.flat(Infinity)) {
		if (child === null || child === undefined || child === '')
			continue;
		node.append(child instanceof Node ? child : String(child));
	}
	return node;
}

function list(x) {
	return Array.isArray(x) ? x : [];
}

function object(x) {
	return x && typeof x === 'object' && !Array.isArray(x) ? x : {};
}

function number(x) {
	return typeof x === 'number' && isFinite(x) ? x : 0;
}

/* What a value of no known kind looks like in a table. */
function plain(x) {
	if (x === null || x === undefined || x === '')
		return '–';
	if (typeof x === 'object')
		return JSON.stringify(x);
	return String(x);
}

/* Three digits, and k, M, G. */
function short(x) {
	const steps = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']];
	if (typeof x !== 'number' || !isFinite(x))
		return '–';
	for (const [unit, letter] of steps)
		if (Math.abs(x) >= unit * 0.9995)
			return trim((x / unit).toPrecision(3)) + letter;
	if (x !== 0 && Math.abs(x) < 0.01)
		return x.toPrecision(2);
	return trim(Math.abs(x) < 100 ? x.toPrecision(3) : x.toFixed(0));
}

function trim(text) {
	return text.includes('.') && !text.includes('e') ? text.replace(/\.?0+$/, '') : text;
}

/* Grouped by thousands. */
function whole(x) {
	return number(x).toLocaleString('en', {maximumFractionDigits: 0});
}

function seconds(ms) {
	const s = number(ms) / 1000;
	if (s < 1)
		return whole(ms) + ' ms';
	if (s < 120)
		return s.toFixed(s < 10 ? 2 : 1) + ' s';
	if (s < 7200)
		return (s / 60).toFixed(1) + ' min';
	return (s / 3600).toFixed(1) + ' h';
}

function percent(part) {
	return typeof part === 'number' && isFinite(part) ?
		(part >= 0 ? '+' : '−') + Math.abs(part * 100).toFixed(1) + ' %' : '–';
}

function plural(n, one, many) {
	return whole(n) + ' ' + (n === 1 ? one : many);
}

function verdict(word, text) {
	const known = VERDICTS.concat('same', 'better', 'worse', 'unclear').includes(word);
	return el('span', {class: 'verdict' + (known ? ' v-' + word : '')}, text || plain(word));
}

/* rows: [name, value, value...]; those without any value are left out. */
function facts(rows, head) {
	const kept = rows.filter(r => r.slice(1).some(v => plain(v) !== '–'));
	return kept.length ? el('div', {class: 'scroll'}, el('table', {class: 'facts'},
		head ? el('thead', {}, el('tr', {}, head.map(h => el('th', {scope: 'col'}, h)))) : null,
		el('tbody', {}, kept.map(r => el('tr', {}, el('th', {scope: 'row'}, r[0]),
			r.slice(1).map(v => el('td', {}, plain(v)))))))) : null;
}

/* head: [text, isNumber]; rows: arrays of text or nodes. */
function table(head, rows, attributes) {
	return el('div', {class: 'scroll'}, el('table', attributes || {},
		el('thead', {}, el('tr', {}, head.map(([h, n]) =>
			el('th', {scope: 'col', class: n ? 'number' : null}, h)))),
		el('tbody', {}, rows.map(r => el('tr', {}, r.map((c, i) =>
			el('td', {class: head[i][1] ? 'number' : null}, c)))))));
}

function folded(title, ...inside) {
	return el('details', {}, el('summary', {}, title), inside);
}

/* A section with its entry in the contents. */
function section(id, title, ...inside) {
	const node = el('section', {id: id, 'aria-label': title}, el('h2', {}, title), inside);
	contents.push([id, title]);
	document.getElementById('main').append(node);
	return node;
}
const contents = [];

/* Several of a kind need their names, of which the last part will do if it is
 * that of no other. */
function names(items, key) {
	const all = items.map(x => plain(x[key || 'name']));
	const last = all.map(n => n.replace(/\/+$/, '').split('/').pop());
	return last.map((n, i) => last.indexOf(n) === last.lastIndexOf(n) ? n : all[i]);
}
