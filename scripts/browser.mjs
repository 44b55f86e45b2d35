/**
 * Creates a browser without scripts: it requests URLs, stores cookies, and follows redirects to the same server.
 *
 * @returns `visit(url, form)`, which resolves to the final `url` and its `html`, and `cookie()`, the value of the
 *   `Cookie` header
 */
export function createBrowser(base) {
  const cookies = new Map();
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  async function visit(url, form) {
    if (url.origin !== base) return { url, html: '' };
    const response = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      headers: { accept: 'text/html', cookie: cookie() },
      body: form,
      redirect: 'manual',
    });
    for (const text of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]*)=([^;]*)/.exec(text);
      cookies.set(name, value);
    }
    const html = await response.text();
    const location = response.headers.get('location');
    if (location !== null) return visit(new URL(location, url));
    if (!response.ok) throw new Error(`${url.pathname} returned ${response.status}: ${html}`);
    return { url, html };
  }
  return { visit, cookie };
}

/** Returns the action of the first form of a page, and its fields: the hidden ones and the given ones. */
export function filledIn({ url, html }, fields) {
  const form = /<form .*?<\/form>/s.exec(html)?.[0];
  if (form === undefined) throw new Error(`${url.pathname} has no form: ${html}`);
  const filled = new URLSearchParams();
  for (const [input] of form.matchAll(/<input type="hidden"[^>]*>/g)) {
    filled.set(attribute(input, 'name'), attribute(input, 'value'));
  }
  for (const [name, value] of Object.entries(fields)) filled.set(name, value);
  return [new URL(attribute(form, 'action'), url), filled];
}

function attribute(html, name) {
  const value = new RegExp(` ${name}="([^"]*)"`).exec(html)?.[1] ?? '';
  return value.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
