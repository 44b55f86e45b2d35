import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Precompressed } from '../http/precompressed.js';
import { packageRoot } from '../package-root.js';

interface Asset {
  /** Joined to one content. */
  readonly files: readonly string[];
  readonly type: string;
}

/** The parts of `site.css`, in the order of their precedence. */
const siteStyles = [
  'base',
  'frame',
  'text',
  'messages',
  'lists',
  'forms',
  'tables',
  'second-factor',
  'charts',
  'reports',
].map((name) => `src/platform/pages/assets/site/${name}.css`);

const assets = {
  'pico.css': asset('node_modules/@picocss/pico/css/pico.classless.min.css', 'text/css'),
  'site.css': { files: siteStyles, type: 'text/css' },
  'reference.css': asset('src/platform/pages/assets/reference.css', 'text/css'),
  'icon.svg': asset('src/platform/pages/assets/icon.svg', 'image/svg+xml'),
  'copy.js': asset('src/platform/pages/assets/copy.js', 'text/javascript'),
  'passkey.js': asset('src/platform/pages/assets/passkey.js', 'text/javascript'),
  'console.css': asset('src/platform/pages/assets/console.css', 'text/css'),
  'console.js': asset('src/platform/pages/assets/console.js', 'text/javascript'),
  'console-contract.js': asset('src/platform/pages/assets/console-contract.js', 'text/javascript'),
  'console-layout.js': asset('src/platform/pages/assets/console-layout.js', 'text/javascript'),
  'console-sign-in.js': asset('src/platform/pages/assets/console-sign-in.js', 'text/javascript'),
  'console-callback.js': asset('src/platform/pages/assets/console-callback.js', 'text/javascript'),
  'swagger-ui.css': asset('dist/docs/console/swagger-ui.css', 'text/css'),
  'swagger-ui.js': asset('dist/docs/console/swagger-ui-bundle.js', 'text/javascript'),
} as const;

const contents = new Map(
  Object.entries(assets).map(([name, { files, type }]) => {
    const content = Buffer.concat(files.map((file) => readFileSync(path.join(packageRoot, file))));
    const version = createHash('sha256').update(content).digest('base64url').slice(0, 12);
    return [name, { content: new Precompressed(content), type, version }];
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

function asset(file: string, type: string): Asset {
  return { files: [file], type };
}
