// The reference: samples open in the language that was chosen last, and results of the search appear while the user types.
// Without this script the first sample is open, and the search form is submitted.

const storageKey = 'sample-language';
const samples = [...document.querySelectorAll('#samples details')];
const languageOf = (sample) => sample.querySelector('summary').textContent;

const chosen = samples.find((sample) => languageOf(sample) === storedLanguage());
for (const sample of samples) {
  if (chosen) sample.open = sample === chosen;
  sample.querySelector('summary').addEventListener('click', () => {
    // The click opens it.
    if (!sample.open) storeLanguage(languageOf(sample));
  });
}

// The storage throws when the browser blocks it.
function storedLanguage() {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

function storeLanguage(language) {
  try {
    localStorage.setItem(storageKey, language);
  } catch {}
}

/** Results beside a page. The search page lists all. */
const maximumShown = 8;
const form = document.querySelector('form.search');
const { status, list, isSearchPage } = resultsOf(document) ?? createResults();
let timer;
let latest;

form.q.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(search, 150);
});

function resultsOf(page) {
  const article = page.querySelector('article[data-search]');
  if (article === null) return undefined;
  const [status, list] = ['[role="status"]', 'ul.operations'].map((part) => article.querySelector(part));
  return { status, list, isSearchPage: true };
}

function createResults() {
  const status = Object.assign(document.createElement('p'), { role: 'status', className: 'hint' });
  const list = Object.assign(document.createElement('ul'), { className: 'operations' });
  form.after(status, list);
  return { status, list, isSearchPage: false };
}

async function search() {
  latest?.abort();
  latest = new AbortController();
  const query = form.q.value.trim();
  if (query === '' && !isSearchPage) return show('', []);
  const url = `${form.action}?${new URLSearchParams({ q: query })}`;
  try {
    const response = await fetch(url, { signal: latest.signal });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const found = resultsOf(page);
    if (found === undefined) return;
    const items = [...found.list.children];
    show(found.status.textContent, isSearchPage ? items : items.slice(0, maximumShown));
    if (isSearchPage) history.replaceState(null, '', url);
  } catch {
    // Another search has started, or the server does not answer: the form can still be submitted.
  }
}

function show(text, items) {
  status.textContent = text;
  list.replaceChildren(...items);
}
