// The form of a report: its buttons change it without loading the page, and the preview follows each change. Without this
// script, and when a request fails, the page loads instead.
const find = (page) => page.querySelector('form.report-form');
let latest;
let timer;

document.addEventListener('submit', async (event) => {
  const { target, submitter } = event;
  if (target !== find(document) || submitter?.name !== 'do') return;
  event.preventDefault();
  await apply(submitter.value, submitter);
});

// The Enter key in a field for searching submits the search, not the form.
document.addEventListener('keydown', (event) => {
  const search = event.key === 'Enter' && event.target.closest('form.report-form input[type="search"]');
  if (!search) return;
  event.preventDefault();
  search.closest('.adding').querySelector('button').click();
});

document.addEventListener('change', async ({ target }) => {
  if (!find(document)?.contains(target) || target.id.startsWith('new_') || target.type === 'search') return;
  // Another condition may need another field.
  if (target.matches('.filter > .field select')) await apply('refresh');
  else previewSoon();
});

/** Sends the form with the value of a button, and shows the form of the response. */
async function apply(action, submitter) {
  if (action === 'preview') return showPreview(true);
  const active = document.activeElement?.id;
  const page = await send(action);
  if (page === 'replaced') return;
  const form = page && find(page);
  if (form) {
    const focused = form.querySelector('[autofocus]');
    focused?.removeAttribute('autofocus');
    find(document).replaceWith(form);
    (focused ?? document.getElementById(active))?.focus();
    previewSoon();
  } else if (submitter) {
    load(submitter);
  }
}

/** Submits the form without this script. */
function load(submitter) {
  const form = find(document);
  const action = document.createElement('input');
  Object.assign(action, { type: 'hidden', name: 'do', value: submitter.value });
  form.append(action);
  form.submit();
}

/** @param changed whether the user has changed the form since the page loaded */
function previewSoon(changed = true) {
  clearTimeout(timer);
  timer = setTimeout(showPreview, 400, false, changed);
}

/**
 * @param asked whether the user has asked for the preview, which then shows the errors of the form too
 * @param changed whether the errors of the page may be those of another form
 */
async function showPreview(asked, changed = true) {
  const page = await send('preview');
  if (!page || page === 'replaced') return;
  const shown = page.getElementById('preview');
  shown?.querySelector('[autofocus]')?.removeAttribute('autofocus');
  if (asked && !shown?.hasChildNodes()) return load({ value: 'preview' });
  if (shown?.hasChildNodes()) {
    document.getElementById('preview').replaceChildren(...shown.childNodes);
    if (changed) removeErrors();
  }
  if (asked) document.querySelector('.preview h2')?.focus();
}

/** Removes the errors that a preview rules out: a preview needs no title, and saves nothing that another user has changed. */
function removeErrors() {
  const summary = document.querySelector('.error-summary');
  if (!summary || document.getElementById('conflict')) return;
  for (const link of summary.querySelectorAll('a')) {
    const id = link.hash.slice(1);
    if (id === 'title' && document.getElementById(id).value.trim() === '') continue;
    const error = `${id}-error`;
    link.closest('li').remove();
    document.getElementById(error)?.remove();
    for (const field of document.querySelectorAll(`[aria-describedby~="${error}"]`)) {
      field.setAttribute(
        'aria-describedby',
        field.getAttribute('aria-describedby').replace(error, '').trim(),
      );
      field.removeAttribute('aria-invalid');
    }
  }
  if (summary.querySelector('li')) return;
  summary.remove();
  document.title = document.title.replace(/^Error: /, '');
}

/** The page that answers the form; `replaced` by a later request, or `undefined` when the server does not answer. */
async function send(action) {
  clearTimeout(timer);
  latest?.abort();
  const request = new AbortController();
  latest = request;
  const form = find(document);
  const body = new URLSearchParams(new FormData(form));
  body.set('do', action);
  try {
    const response = await fetch(form.action, { method: 'POST', body, signal: request.signal });
    return new DOMParser().parseFromString(await response.text(), 'text/html');
  } catch {
    return request.signal.aborted ? 'replaced' : undefined;
  }
}

previewSoon(false);
