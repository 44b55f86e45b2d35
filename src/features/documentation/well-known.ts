import type { FastifyInstance } from 'fastify';
import { type Clock, dayMilliseconds } from '../../platform/clock.js';
import { Precompressed } from '../../platform/http/precompressed.js';

const catalogPath = '/.well-known/api-catalog';

/** Value of a `Link` header with the contract, the reference and the catalog. @see RFC 8631, RFC 9727 section 3 */
export const serviceLinks = [
  '</openapi/v1.yaml>; rel="service-desc"; type="application/yaml"',
  '</docs>; rel="service-doc"; type="text/html"',
  `<${catalogPath}>; rel="api-catalog"`,
].join(', ');

/** A file that programs of any origin may read. */
const headers = {
  'access-control-allow-origin': '*',
  'cache-control': 'public, max-age=300',
  'x-content-type-options': 'nosniff',
};

/** Days for which the text of `security.txt` is valid. RFC 9116 recommends less than a year. */
const securityTextDays = 90;

/**
 * `/.well-known/api-catalog`, and `/.well-known/security.txt` if there is a contact for it.
 *
 * @see RFC 9727, RFC 9116
 */
export async function wellKnownRoutes(
  app: FastifyInstance,
  {
    baseUrl,
    securityContactUrl,
    clock,
  }: { baseUrl: string; securityContactUrl: string | undefined; clock: Clock },
): Promise<void> {
  const catalog = new Precompressed(JSON.stringify(catalogOf(baseUrl)));
  const catalogHeaders = {
    ...headers,
    link: serviceLinks,
    'content-type': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  };
  app.get(catalogPath, async (request, reply) => catalog.send(request, reply.headers(catalogHeaders)));

  if (securityContactUrl === undefined) return;
  app.get('/.well-known/security.txt', async (_, reply) =>
    reply
      .headers(headers)
      .type('text/plain; charset=utf-8')
      .send(securityText(baseUrl, securityContactUrl, clock())),
  );
}

/** The two interfaces of the server, as a set of links. @see RFC 9264 section 4.2 */
function catalogOf(baseUrl: string) {
  const link = (path: string, type: string) => ({ href: `${baseUrl}${path}`, type });
  return {
    linkset: [
      {
        anchor: `${baseUrl}/v1`,
        'service-desc': [
          link('/openapi/v1.yaml', 'application/yaml'),
          link('/openapi/v1.json', 'application/json'),
          link('/openapi/v1-3.0.json', 'application/json'),
        ],
        'service-doc': [link('/docs', 'text/html'), link('/llms.txt', 'text/plain')],
        'service-meta': [
          link('/.well-known/oauth-authorization-server', 'application/json'),
          link('/.well-known/oauth-protected-resource', 'application/json'),
          link('/openapi/v1.arazzo.yaml', 'application/yaml'),
        ],
      },
      {
        anchor: `${baseUrl}/mcp`,
        'service-meta': [link('/.well-known/oauth-protected-resource/mcp', 'application/json')],
      },
    ],
  };
}

/** The same text for a whole day, so that caches can compare it. */
function securityText(baseUrl: string, contact: string, now: Date): string {
  const today = Math.floor(now.getTime() / dayMilliseconds) * dayMilliseconds;
  const expires = new Date(today + securityTextDays * dayMilliseconds).toISOString();
  return [
    `Contact: ${contact}`,
    `Expires: ${expires}`,
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    '',
  ].join('\n');
}
