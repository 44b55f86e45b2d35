import { hiddenFields } from '../client/browser.mjs';

/**
 * Sends what `attempts` describes: a request, or a page that is opened or a form that is sent in the caller's own
 * browser with a good anti-forgery token.
 */
export async function createVisitor({ send, browser }) {
  const page = await browser.open('/people/settings/oauth_applications/new');
  const { csrf_token } = hiddenFields(page.body.toString());
  if (csrf_token === undefined) throw new Error('A form without an anti-forgery token');
  return async function visit({ before, open, submit, form, ...request }) {
    if (before !== undefined) await send(before);
    if (open !== undefined) return browser.open(open);
    if (submit !== undefined) return browser.submit(submit, { csrf_token, ...form });
    return send(request);
  };
}
