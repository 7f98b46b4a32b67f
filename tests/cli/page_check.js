// Added to index.html by paper.sh and run in a real browser: uses the page as a reader does, and writes what is wrong to
// <pre id="checked">.
window.addEventListener('load', () => {
  const wrong = [];
  const expect = (right, what) => { if (!right) wrong.push(what); };
  const figures = [...document.querySelectorAll('figure > img')];
  for (const img of figures) {
    const box = img.getBoundingClientRect();
    expect(box.width > 200 && box.height > 100, 'a figure of ' + box.width + ' x ' + box.height);
    expect(img.complete && img.naturalWidth > 200, 'a figure that does not load: ' + img.src);
    expect(img.alt.length > 8, 'a figure without an alternative text');
    expect(img.nextElementSibling.textContent.length > 40, 'a figure without a caption');
  }
  const ids = [...document.querySelectorAll('[id]')].map(element => element.id);
  expect(new Set(ids).size === ids.length, 'ids that are there twice: ' + ids.filter((id, i) => ids.indexOf(id) !== i).slice(0, 5));
  for (const link of document.querySelectorAll('a[href^="#"]'))
    expect(document.getElementById(link.getAttribute('href').slice(1)), 'a link to nothing: ' + link.getAttribute('href'));
  for (const table of document.querySelectorAll('table.sort')) {
    expect(table.caption && table.caption.textContent, 'a table without a caption');
    expect([...table.tHead.rows[0].cells].every(cell => cell.scope === 'col'), 'a head without a scope');
  }
  // Sort all points by the first column of numbers, up and down; what is missing comes last both times.
  const points = document.getElementById('t-points'), heads = [...points.tHead.rows[0].cells];
  const column = heads.findIndex(head => head.classList.contains('n'));
  const values = () => [...points.tBodies[0].rows].map(row => row.cells[column].dataset.v).map(v => v === undefined ? null : Number(v));
  const ordered = (list, sign) => list.every((v, i) => i === 0 || v === null || (list[i - 1] !== null && sign * (v - list[i - 1]) >= 0));
  const before = values(), button = heads[column].querySelector('button');
  expect(!ordered(before, 1) && !ordered(before, -1), 'the points were in order before they were sorted');
  if (button) {
    button.click();
    expect(ordered(values(), 1) && heads[column].getAttribute('aria-sort') === 'ascending', 'not sorted up');
    button.click();
    expect(ordered(values(), -1) && heads[column].getAttribute('aria-sort') === 'descending', 'not sorted down');
    expect(values().length === before.length, 'rows are lost');
  } else {
    wrong.push('no button to sort with');
  }
  const filter = document.getElementById('filter'), rows = [...points.tBodies[0].rows];
  filter.value = 'copy load';
  filter.dispatchEvent(new Event('input'));
  const shown = rows.filter(row => !row.hidden);
  expect(shown.length > 0 && shown.length < rows.length, 'the filter shows ' + shown.length + ' of ' + rows.length);
  expect(shown.every(row => /copy/.test(row.textContent) && /load/.test(row.textContent)), 'the filter shows other rows');
  expect(document.documentElement.scrollWidth <= window.innerWidth, 'the page is wider than its window: ' + document.documentElement.scrollWidth + ' > ' + window.innerWidth);
  const checked = document.createElement('pre');
  checked.id = 'checked';
  checked.textContent = 'figures ' + figures.length + ', points ' + rows.length + (wrong.length ? ', wrong: ' + wrong.join('; ') : ', all right');
  document.body.append(checked);
});
