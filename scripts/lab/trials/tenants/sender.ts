import { type Browser, hiddenFields } from '../../kit/http/browser.js';
import type { HttpRequest, HttpResponse, Send } from '../../kit/http/client.js';

/** A request of a client; a page that a user opens; or a form that a user submits, with a valid anti-forgery token. */
export type Action =
  | (HttpRequest & {
      /** A request that is sent first. */
      readonly before?: HttpRequest;
    })
  | { readonly open: string }
  | { readonly submit: string; readonly form: Readonly<Record<string, string>> };

export type Perform = (action: Action) => Promise<HttpResponse>;

/** Returns a function that performs actions as a client and in a browser. */
export async function createPerform(send: Send, browser: Browser): Promise<Perform> {
  const page = await browser.open('/people/settings/oauth_applications/new');
  const { csrf_token } = hiddenFields(page.body.toString());
  if (csrf_token === undefined) throw new Error('A form without an anti-forgery token');
  return async (action) => {
    if ('open' in action) return browser.open(action.open);
    if ('submit' in action) return browser.submit(action.submit, { csrf_token, ...action.form });
    const { before, ...request } = action;
    if (before !== undefined) await send(before);
    return send(request);
  };
}
