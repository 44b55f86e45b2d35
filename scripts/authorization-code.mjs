import { createHash, randomBytes } from 'node:crypto';

/**
 * Signs a user in and lets an application act for them, through the forms of the sign-in and consent pages as a
 * browser without scripts would. Returns the code and the verifier that belongs to it.
 */
export async function authorizationCode(base, { clientId, redirectUri, scope, email, password }) {
  const verifier = randomBytes(32).toString('base64url');
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: randomBytes(16).toString('base64url'),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  const visit = createBrowser(base);
  const signInPage = await visit(new URL(`/v1/oauth/authorize?${new URLSearchParams(parameters)}`, base));
  const consentPage = await visit(...filledIn(signInPage, { email, password }));
  const { url } = await visit(...filledIn(consentPage, { decision: 'allow' }));
  const answer = Object.fromEntries(url.searchParams);
  if (!url.href.startsWith(`${redirectUri}?`) || answer.state !== parameters.state || answer.iss !== base) {
    throw new Error(`The browser was not sent back with its own state and issuer, but to ${url}`);
  }
  return { code: answer.code, verifier };
}

/** Opens addresses, keeps cookies, and follows redirects for as long as they stay on the server. */
function createBrowser(base) {
  const cookies = new Map();
  return async function visit(url, form) {
    if (url.origin !== base) return { url, html: '' };
    const response = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'text/html',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
      body: form,
      redirect: 'manual',
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]*)=([^;]*)/.exec(cookie);
      cookies.set(name, value);
    }
    const html = await response.text();
    const location = response.headers.get('location');
    if (location !== null) return visit(new URL(location, url));
    if (!response.ok) throw new Error(`${url.pathname} answered ${response.status}: ${html}`);
    return { url, html };
  };
}

/** Where the first form of a page goes, and what it holds with its hidden fields and the user's own. */
function filledIn({ url, html }, fields) {
  const form = /<form .*?<\/form>/s.exec(html)?.[0];
  if (form === undefined) throw new Error(`${url.pathname} shows no form: ${html}`);
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
