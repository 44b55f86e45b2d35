import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Precompressed } from '../http/precompressed.js';
import { packageRoot } from '../package-root.js';

/** The parts of `site.css`, in the order of their precedence. */
const siteStyles = [
  'base',
  'frame',
  'sidebar',
  'text',
  'messages',
  'lists',
  'forms',
  'card',
  'tables',
  'people',
  'second-factor',
  'charts',
  'reports',
  'home',
  'touch',
].map((name) => `src/platform/pages/assets/site/${name}.css`);

/** The files of each asset, which are joined to one content. */
const assets = {
  'pico.css': ['node_modules/@picocss/pico/css/pico.classless.min.css'],
  'site.css': siteStyles,
  'reference.css': ['src/platform/pages/assets/reference.css'],
  'icon.svg': ['src/platform/pages/assets/icon.svg'],
  'copy.js': ['src/platform/pages/assets/copy.js'],
  'passkey.js': ['src/platform/pages/assets/passkey.js'],
  'reference.js': ['src/platform/pages/assets/reference.js'],
  'report-builder.js': ['src/platform/pages/assets/report-builder.js'],
  'chart-image.js': ['src/platform/pages/assets/chart-image.js'],
  'people.js': ['src/platform/pages/assets/people.js'],
  'console.css': ['src/platform/pages/assets/console.css'],
  'console.js': ['src/platform/pages/assets/console.js'],
  'console-contract.js': ['src/platform/pages/assets/console-contract.js'],
  'console-layout.js': ['src/platform/pages/assets/console-layout.js'],
  'console-sign-in.js': ['src/platform/pages/assets/console-sign-in.js'],
  'console-callback.js': ['src/platform/pages/assets/console-callback.js'],
  'swagger-ui.css': ['dist/docs/console/swagger-ui.css'],
  'swagger-ui.js': ['dist/docs/console/swagger-ui-bundle.js'],
} as const satisfies Record<string, readonly string[]>;

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

const contents = new Map(
  Object.entries(assets).map(([name, files]) => {
    const content = Buffer.concat(files.map((file) => readFileSync(path.join(packageRoot, file))));
    const version = createHash('sha256').update(content).digest('base64url').slice(0, 12);
    return [name, { content: new Precompressed(content), type: types[path.extname(name)], version }];
  }),
);

/** URL of an asset. It contains a hash of the content, so that browsers may cache the file. */
export function assetAddress(name: keyof typeof assets): string {
  return `/assets/${name}?v=${contents.get(name)?.version}`;
}

/** Routes of style sheets, scripts and the icon: pages load nothing from other origins. */
export async function assetRoutes(app: FastifyInstance): Promise<void> {
  for (const [name, { content, type, version }] of contents) {
    app.get(`/assets/${name}`, async (request, reply) => {
      // A URL with an outdated hash gets the current file and may be cached briefly.
      const current = (request.query as Record<string, unknown>).v === version;
      reply
        .headers({
          'cache-control': current ? 'public, max-age=31536000, immutable' : 'public, max-age=60',
          'x-content-type-options': 'nosniff',
        })
        .type(`${type}; charset=utf-8`);
      return content.send(request, reply);
    });
  }
}
