// Tables sort by a click on a head (or Enter), the table of all points by words. Nothing is loaded, nothing is kept.
'use strict';
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
const filter = document.getElementById('filter'), shown = document.getElementById('shown');
const rows = [...document.querySelectorAll('#t-points tbody tr')];
const words = rows.map(row => row.textContent.toLowerCase());
function show() {
  const wanted = filter.value.toLowerCase().split(/\s+/).filter(word => word);
  let count = 0;
  rows.forEach((row, i) => {
    row.hidden = !wanted.every(word => words[i].includes(word));
    count += !row.hidden;
  });
  shown.textContent = count + ' of ' + rows.length + ' rows';
}
filter.addEventListener('input', show);
show();
