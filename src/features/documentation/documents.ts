import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Contract } from '../../platform/contract/contract.js';
import { Precompressed } from '../../platform/http/precompressed.js';
import { packageRoot } from '../../platform/package-root.js';
import { pageHeaders } from '../../platform/pages/security-headers.js';
import { serviceLinks } from './well-known.js';

/** Replaces the URLs of the contract in a text by those of this server. */
export type WithBaseUrl = (text: string) => string;

/**
 * The contract has the URL of a local server, which is the placeholder of the base URL in all documents that are built from
 * it. Documents of this server have its URLs, so that examples work as pasted.
 *
 * @param urls without trailing slashes; `errorsUrl` is the prefix of problem `type` URIs
 */
export function createWithBaseUrl(
  { document }: Pick<Contract, 'document'>,
  { baseUrl, errorsUrl }: { readonly baseUrl: string; readonly errorsUrl: string },
): WithBaseUrl {
  const [{ url: placeholder }] = document.servers;
  return (text) => text.replaceAll(`${placeholder}/errors`, errorsUrl).replaceAll(placeholder, baseUrl);
}

/** Built by `scripts/docs`: each document at its path, pages with the extension `.html`. */
export const documentsDirectory = path.join(packageRoot, 'dist', 'documents');

/** Stands for `API_CONTACT_URL` in the built contract. */
export const contactPlaceholder = 'API_CONTACT_URL';

/** The contact as a member of JSON or a line of YAML. */
const contact = new RegExp(`(,"contact":|\\n {2}contact: )\\{"url":"${contactPlaceholder}"\\}`);

const caching = { 'cache-control': 'public, max-age=300' };

/** Headers of documents that scripts of any origin may read. */
const fileHeaders = { 'access-control-allow-origin': '*', ...caching, 'x-content-type-options': 'nosniff' };

/** Headers of a page. Those of the reference load scripts, which request results of the search. */
export function documentPageHeaders({ script }: { script: boolean }): Record<string, string> {
  return {
    ...pageHeaders({ script, requests: script }),
    ...caching,
    'content-type': 'text/html; charset=utf-8',
  };
}

const headersByExtension: Readonly<Record<string, (url: string) => Readonly<Record<string, string>>>> = {
  '.html': (url) => ({
    ...documentPageHeaders({ script: /^\/docs\b/.test(url) }),
    ...(url === '/docs' && { link: serviceLinks }),
  }),
  '.atom': () => ({ ...pageHeaders(), ...caching, 'content-type': 'application/atom+xml; charset=utf-8' }),
  '.json': () => ({ ...fileHeaders, 'content-type': 'application/json' }),
  '.yaml': () => ({ ...fileHeaders, 'content-type': 'application/yaml' }),
  '.md': () => ({ ...fileHeaders, 'content-type': 'text/markdown; charset=utf-8' }),
  '.txt': () => ({ ...fileHeaders, 'content-type': 'text/plain; charset=utf-8' }),
};

/**
 * Routes of the built documents. Each is read for its first request, with the URLs and the contact of this server.
 *
 * @throws {Error} when the documents have not been built, or one has an unknown extension
 */
export async function documentRoutes(
  app: FastifyInstance,
  { withBaseUrl, apiContactUrl }: { withBaseUrl: WithBaseUrl; apiContactUrl: string | undefined },
): Promise<void> {
  const names = readdirSync(documentsDirectory, { recursive: true, encoding: 'utf8' });
  // Directories have no extension.
  for (const name of names.filter((name) => path.extname(name) !== '')) {
    const file = path.join(documentsDirectory, name);
    const url = `/${name.replaceAll(path.sep, '/').replace(/\.html$/, '')}`;
    const headers = headersByExtension[path.extname(file)]?.(url);
    if (headers === undefined) throw new Error(`${file} has an unknown extension`);
    const content = new Precompressed(() => withBaseUrl(withContact(readFileSync(file, 'utf8'))));
    app.get(url, async (request, reply) => content.send(request, reply.headers(headers)));
  }

  function withContact(text: string): string {
    return text.replace(contact, (_, member) =>
      apiContactUrl === undefined ? '' : `${member}${JSON.stringify({ url: apiContactUrl })}`,
    );
  }
}
