import { createBrowser, filledIn } from './browser.mjs';

/**
 * Signs an owner in and creates a confidential application that may read all attributes of employees, with the forms of the
 * settings.
 *
 * @returns `client_id` and `client_secret`
 */
export async function createApplication(base, { name, scopes, email, password }) {
  const { visit } = createBrowser(base);
  const address = new URL('/people/settings/oauth_applications/new', base);
  const signInPage = await visit(address);
  const { url, html } = await visit(...filledIn(signInPage, { email, password }));
  // Not the form that signs the user out.
  const main = html.slice(html.indexOf('<main'));
  const [action, form] = filledIn({ url, html: main }, { name, client_type: 'confidential' });
  for (const scope of scopes) form.append('scopes', scope);
  for (const [, attribute] of main.matchAll(/name="attributes" value="([^"]*)"/g))
    form.append('attributes', attribute);
  const created = await visit(action, form);
  const shown = (id) => new RegExp(`id="${id}"[^>]*>([^<]+)<`).exec(created.html)?.[1]?.trim();
  return { client_id: shown('client-id'), client_secret: shown('client-secret') };
}
