// The directory shows results while the user types, its people are selected together, and the form of an employee suggests
// people. Without this script, the forms and links do the same when the server responds.
const search = document.querySelector('form.search');
let latest;
let timer;

for (const field of document.querySelectorAll('input[data-suggestions]'))
  field.addEventListener('input', () => later(() => suggest(field)));
search?.addEventListener('input', () => later(showResults));
search?.addEventListener('submit', (event) => {
  event.preventDefault();
  showResults();
});

document.addEventListener('click', (event) => {
  const link = event.target.closest('#select-all');
  if (link === null || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  selectAll(!selectable().every((box) => box.checked));
});

document.addEventListener('change', ({ target }) => {
  if (target.name === 'employee') showSelection();
  else if (target.id === 'select-page') selectAll(target.checked);
});

// The browser may have restored a selection.
addEventListener('pageshow', showSelection);

function selectable() {
  return [...document.querySelectorAll('input[name="employee"]')];
}

/** Selects all people of the page, or none. */
function selectAll(checked) {
  for (const box of selectable()) box.checked = checked;
  showSelection();
}

/** States how many people are selected, and what the link and the checkbox of the heading do next. */
function showSelection() {
  const heading = document.getElementById('select-page');
  if (heading === null) return;
  const boxes = selectable();
  const count = boxes.filter((box) => box.checked).length;
  heading.hidden = false;
  heading.checked = count === boxes.length;
  heading.indeterminate = count > 0 && count < boxes.length;
  document.getElementById('selected').textContent = count === 0 ? '' : `${count} selected`;
  document.getElementById('select-all').textContent =
    count === boxes.length ? 'Clear selection' : 'Select all on this page';
}

function later(work) {
  clearTimeout(timer);
  timer = setTimeout(work, 200);
}

async function suggest(field) {
  const page = await load(`${field.dataset.suggestions}?${new URLSearchParams({ q: field.value })}`);
  if (page === 'replaced') return;
  const found = page?.getElementById('suggestions')?.children ?? [];
  field.list.replaceChildren(...[...found].map(({ textContent }) => new Option(textContent, textContent)));
}

/** Replaces the results by those of the server. The address is that of the search, for links, reloading and going back. */
async function showResults() {
  clearTimeout(timer);
  const values = [...new FormData(search)].filter(([, value]) => value !== '');
  const address = `${search.action}${values.length > 0 ? `?${new URLSearchParams(values)}` : ''}`;
  const page = await load(address);
  if (page === 'replaced') return;
  // Such as an expired session.
  if (!page?.getElementById('results')) return location.assign(address);
  for (const id of ['filters', 'count', 'exports', 'results'])
    document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
  showSelection();
  history.replaceState(null, '', address);
}

/** A page of the server; `replaced` by a later request, or `undefined` when the server does not answer with one. */
async function load(address) {
  latest?.abort();
  const request = new AbortController();
  latest = request;
  try {
    const response = await fetch(address, { signal: request.signal });
    return response.ok && !response.redirected
      ? new DOMParser().parseFromString(await response.text(), 'text/html')
      : undefined;
  } catch {
    return request.signal.aborted ? 'replaced' : undefined;
  }
}
