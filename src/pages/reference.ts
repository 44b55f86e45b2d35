import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Localise } from '../contract/published.js';
import { Precompressed } from '../http/precompressed.js';
import { packageRoot } from '../package-root.js';
import { assetAddress } from './assets.js';
import { pageHeaders } from './security-headers.js';

/** Built from the contract by `scripts/reference`. */
const file = path.join(packageRoot, 'dist', 'docs', 'index.html');

/**
 * `/docs`: the API reference.
 *
 * @throws {Error} when it has not been built
 */
export async function referencePage(
  app: FastifyInstance,
  { localise }: { localise: Localise },
): Promise<void> {
  const html = localise(readFileSync(file, 'utf8'))
    .replaceAll('/assets/redoc.js', assetAddress('redoc.js'))
    .replaceAll('/assets/icon.svg', assetAddress('icon.svg'));
  const page = new Precompressed(html);
  const headers = {
    ...pageHeaders(),
    'content-security-policy': contentSecurityPolicy(html),
    'cache-control': 'public, max-age=300',
  };
  app.get('/docs', async (request, reply) =>
    page.send(request, reply.headers(headers).type('text/html; charset=utf-8')),
  );
}

/** Allows the inline scripts of the page by hash, scripts of this server, and inline styles, which Redoc creates. */
function contentSecurityPolicy(html: string): string {
  const scripts = [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' ${scripts.join(' ')}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    'font-src data:',
    // Redoc runs its search in a worker from a blob URL.
    'worker-src blob:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
