// Tables sort by a click on a head (or Enter); the table of all points is filtered, and the address keeps the filter.
// Nothing is loaded.
'use strict';

// ---- Tables
for (const table of document.querySelectorAll('table.sort')) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const key = (row, i) => {
    const cell = row.cells[i], number = cell.dataset.v;
    return number !== undefined ? Number(number) : cell.textContent === '—' ? null : cell.textContent;
  };
  const compare = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b
    : String(a).localeCompare(String(b), 'en', {numeric: true});
  heads.forEach((head, i) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const down = head.getAttribute('aria-sort') === 'ascending';
      heads.forEach(other => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const rows = [...body.rows].map(row => [key(row, i), row]);
      rows.sort(([a], [b]) => a === null || b === null ? (a === null) - (b === null) // missing comes last
        : down ? compare(b, a) : compare(a, b));
      body.append(...rows.map(([, row]) => row));
    });
  });
}

// ---- Points: `lines` are the measurements of the CSV, each with the row of its point
function parse(csv) { // RFC 4180
  const lines = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^,\n]*))(,|\n|$)/y;
  while (cell.lastIndex < csv.length) {
    const [, quoted, plain, end] = cell.exec(csv);
    lines.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\n')
      lines.push([]);
  }
  return lines.filter(line => line.length);
}
const [names, ...cells] = parse(document.getElementById('points-csv').textContent);
const rows = [...document.querySelectorAll('#t-points tbody tr')];
const rowOf = new Map(rows.map(row => [row.cells[0].textContent + ' ' + row.lastElementChild.textContent, row]));
const heads = [...document.querySelectorAll('#t-points thead th')].map(head => head.textContent);
for (const row of rows) // for narrow windows, where rows are cards
  [...row.cells].forEach((cell, i) => { cell.dataset.head = heads[i]; });
const id = names.indexOf('id'), kernel = names.indexOf('kernel');
const lines = cells.map(line => ({line, row: rowOf.get(line[kernel] + ' ' + line[id])})).filter(({row}) => row);
const texts = new Map(rows.map(row => [row, row.textContent.toLowerCase()]));

// Short names of columns, and the unit that the page shows them in.
const columns = {family: ['kernel'], time: ['time_median', 1e-6], bandwidth: ['bandwidth', 1e9], share: ['fraction_peak', 0.01],
  latency: ['latency_p50'], flops: ['flop_rate', 1e12]};
const units = {'': null, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30, tib: 2 ** 40, s: 1, ms: 1e-3, us: 1e-6, 'µs': 1e-6, ns: 1e-9,
  'b/s': 1, 'mb/s': 1e6, 'gb/s': 1e9, 'tb/s': 1e12, 'flop/s': 1, 'gflop/s': 1e9, 'tflop/s': 1e12, '%': 0.01};

function number(text, scale) { // in the unit of the file; null: not a number
  const match = /^([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)([a-zµ%/]*)$/i.exec(text);
  const unit = match && units[match[2].toLowerCase()];
  return !match || unit === undefined ? null : Number(match[1]) * (unit === null ? scale : unit);
}

// A term as a function of a line of the CSV and its row; throws a message.
function termOf(word) {
  const match = /^([A-Za-z_][\w.]*)(!=|<=|>=|=|<|>)(.*)$/.exec(word);
  if (!match) {
    const text = word.toLowerCase();
    return (line, row) => texts.get(row).includes(text);
  }
  const [, name, sign, value] = match;
  const [column, scale] = columns[name] || [name];
  const at = names.indexOf(column);
  if (at < 0)
    throw 'no column ' + name + '; there are ' + [...Object.keys(columns), ...names].join(', ');
  if (!value)
    throw name + sign + ' needs a value';
  const one = text => {
    const wanted = number(text, scale || 1);
    return cell => wanted !== null && cell !== '' && !isNaN(cell) ? Math.abs(cell - wanted) <= 1e-9 * Math.abs(wanted)
      : column === 'device' ? cell.toLowerCase().includes(text.toLowerCase()) : cell.toLowerCase() === text.toLowerCase();
  };
  const range = text => {
    const ends = text.split('..').map(end => number(end, scale || 1));
    if (ends.length !== 2 || ends.includes(null))
      return null;
    return cell => cell !== '' && Number(cell) >= ends[0] && Number(cell) <= ends[1];
  };
  if (sign === '=' || sign === '!=') {
    const any = value.split(',').map(text => range(text) || one(text));
    return line => line[at] !== '' && any.some(is => is(line[at])) === (sign === '=');
  }
  const bound = number(value, scale || 1);
  if (bound === null)
    throw value + ' in ' + word + ' is not a number';
  const holds = {'<': v => v < bound, '<=': v => v <= bound, '>': v => v > bound, '>=': v => v >= bound}[sign];
  return line => line[at] !== '' && holds(Number(line[at]));
}
function terms(text) {
  return text.split(/\s+/).filter(word => word && word !== '-').map(word => {
    const term = termOf(word.replace(/^-/, ''));
    return word.startsWith('-') ? (line, row) => !term(line, row) : term;
  });
}

const filter = document.getElementById('filter'), shown = document.getElementById('shown');
const section = document.getElementById('points'), download = document.getElementById('download');
let kept = lines;
function show() {
  let wanted;
  filter.removeAttribute('aria-invalid');
  try {
    wanted = terms(filter.value);
  } catch (message) {
    filter.setAttribute('aria-invalid', 'true');
    shown.textContent = message;
    return;
  }
  kept = lines.filter(({line, row}) => wanted.every(term => term(line, row)));
  const points = new Set(kept.map(({row}) => row));
  for (const row of rows)
    row.hidden = !points.has(row);
  section.classList.toggle('filtered', wanted.length > 0);
  shown.textContent = points.size + ' of ' + rows.length + ' points';
}
// The address: #filter=stride%3D137. It works for pages from disk, too, whose query cannot be changed.
const PREFIX = '#filter=';
function fromAddress() {
  if (!location.hash.startsWith(PREFIX))
    return;
  try {
    filter.value = decodeURIComponent(location.hash.slice(PREFIX.length));
  } catch {
    return; // not written by this page
  }
  show();
  section.scrollIntoView();
}
filter.addEventListener('input', () => {
  show();
  history.replaceState(null, '', filter.value.trim() ? PREFIX + encodeURIComponent(filter.value.trim()) : '#points');
});
document.getElementById('controls').addEventListener('submit', event => event.preventDefault());
window.addEventListener('hashchange', fromAddress);
show();
fromAddress();

download.hidden = false;
download.addEventListener('click', () => {
  const quote = cell => /[,"\r\n]/.test(cell) ? '"' + cell.replaceAll('"', '""') + '"' : cell;
  const csv = [names, ...kept.map(({line}) => line)].map(line => line.map(quote).join(',') + '\n').join('');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([csv], {type: 'text/csv'}));
  link.download = 'points.csv';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
});

// ---- Navigation: a chosen section closes the list
const contents = document.querySelector('nav details');
contents.addEventListener('click', event => { if (event.target.closest('a')) contents.open = false; });
document.addEventListener('click', event => { if (!contents.contains(event.target)) contents.open = false; });
document.addEventListener('keydown', event => { if (event.key === 'Escape') contents.open = false; });
