import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { packageRoot } from '../package-root.js';

const siteStyles = `
main { max-width: 46rem; margin-inline: auto; padding-block: 2.5rem; }
main.narrow { max-width: 28rem; }
.scrolls { overflow-x: auto; }
.note { color: var(--pico-muted-color); }
.alert { border-inline-start: 0.25rem solid var(--pico-del-color); padding-inline-start: 1rem; }
.choices { display: flex; flex-wrap: wrap; gap: 1rem; }
.choices > * { flex: 1 1 9rem; margin: 0; }
dl.account { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; }
dl.account dd { margin: 0; overflow-wrap: anywhere; }
`;

/** Style sheets, served by ourselves: pages load nothing from elsewhere. */
export async function assetRoutes(app: FastifyInstance): Promise<void> {
  const library = path.join(packageRoot, 'node_modules/@picocss/pico/css/pico.classless.min.css');
  const sheets = { 'pico.css': await readFile(library, 'utf8'), 'site.css': siteStyles };
  for (const [name, text] of Object.entries(sheets)) {
    app.get(`/assets/${name}`, async (_, reply) =>
      reply
        .headers({ 'cache-control': 'public, max-age=3600', 'x-content-type-options': 'nosniff' })
        .type('text/css; charset=utf-8')
        .send(text),
    );
  }
}
