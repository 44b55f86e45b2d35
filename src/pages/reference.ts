import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Localise } from '../contract/published.js';
import { Precompressed } from '../http/precompressed.js';
import { packageRoot } from '../package-root.js';
import { assetAddress } from './assets.js';
import { pageHeaders } from './security-headers.js';

/** Made from the contract by `scripts/reference` when the server is built. */
const file = path.join(packageRoot, 'dist', 'docs', 'index.html');

/**
 * `/docs`: the reference.
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

/** Allows the scripts that are in the page and our own, and the styles that the script of the reference makes. */
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
    // The search runs in workers that the script writes itself.
    'worker-src blob:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
