// Evaluated in index.html by page_drive.py: what a page of any width must have. Returns what is wrong.
(() => {
  const wrong = [];
  const expect = (right, what) => { if (!right) wrong.push(what); };
  const figures = [...document.querySelectorAll('figure img')];
  for (const img of figures) {
    const box = img.getBoundingClientRect();
    expect(box.width > 200 && box.height > 100, 'a figure of ' + box.width + ' x ' + box.height);
    expect(img.complete && img.naturalWidth > 200, 'a figure that does not load: ' + img.src);
    expect(img.alt.length > 8, 'a figure without an alternative text');
    expect(img.closest('figure').querySelector('figcaption').textContent.length > 40, 'a figure without a caption');
    const values = img.parentElement.querySelector('svg');
    if (values) {
      const over = values.getBoundingClientRect();
      expect(Math.abs(over.width - box.width) < 1 && Math.abs(over.height - box.height) < 1, 'values beside their figure');
    }
  }
  const ids = [...document.querySelectorAll('[id]')].map(element => element.id);
  expect(new Set(ids).size === ids.length, 'ids that are there twice: ' + ids.filter((id, i) => ids.indexOf(id) !== i).slice(0, 5));
  for (const link of document.querySelectorAll('a[href^="#"]'))
    expect(document.getElementById(link.getAttribute('href').slice(1)), 'a link to nothing: ' + link.getAttribute('href'));
  for (const table of document.querySelectorAll('table.sort')) {
    expect(table.caption && table.caption.textContent, 'a table without a caption');
    expect([...table.tHead.rows[0].cells].every(cell => cell.scope === 'col'), 'a head without a scope');
  }
  // Sort every table by every column, up and down; what is missing comes last both times.
  for (const table of document.querySelectorAll('table.sort'))
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const values = () => [...table.tBodies[0].rows].map(row => row.cells[column].dataset.v).map(v => v === undefined ? null : Number(v));
      const ordered = (list, sign) => list.every((v, i) => i === 0 || v === null || (list[i - 1] !== null && sign * (v - list[i - 1]) >= 0));
      const button = head.querySelector('button'), before = values();
      if (!button) {
        wrong.push('no button to sort with');
        return;
      }
      button.click();
      const up = head.getAttribute('aria-sort') === 'ascending' && (!head.classList.contains('n') || before.every(v => v === null) || ordered(values(), 1));
      expect(up, 'not sorted up: ' + head.textContent);
      button.click();
      const down = head.getAttribute('aria-sort') === 'descending' && (!head.classList.contains('n') || before.every(v => v === null) || ordered(values(), -1));
      expect(down, 'not sorted down: ' + head.textContent);
      expect(values().length === before.length, 'rows are lost');
    });
  for (const details of document.querySelectorAll('main details')) {
    details.querySelector('summary').click();
    expect(details.open && details.lastElementChild.getBoundingClientRect().height > 20, 'details do not open');
    expect(document.documentElement.scrollWidth <= window.innerWidth, 'details are wider than the window');
    details.querySelector('summary').click();
  }
  expect(document.documentElement.scrollWidth <= window.innerWidth, 'the page is wider than its window: ' + document.documentElement.scrollWidth + ' > ' + window.innerWidth);
  const rows = document.querySelectorAll('#t-points tbody tr').length;
  return 'figures ' + figures.length + ', points ' + rows + (wrong.length ? ', wrong: ' + [...new Set(wrong)].join('; ') : ', all right');
})()
