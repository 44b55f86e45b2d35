import type { SentRequest } from './requests.js';
import { type ComparedServer, redirectUri, type Values } from './servers.js';

const namesOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/**
 * Sends a request to a server.
 *
 * @returns the status and the error, or that the user is redirected to sign in or to the client
 */
export async function send(
  server: ComparedServer,
  clients: Values,
  { endpoint, method = 'POST', headers = {}, fields = [], body }: SentRequest,
): Promise<string> {
  const texts = [...Object.values(headers), ...fields.map(([, value]) => value), body ?? ''];
  const values = { ...clients };
  for (const name of new Set(texts.flatMap(namesOf)))
    if (['code', 'access', 'refresh', 'own', 'pushed'].includes(name))
      Object.assign(values, await server.issue(name));
  const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

  const sent = new URLSearchParams(fields.map(([name, value]) => [name, fill(value)]));
  const inQuery = method === 'GET' || method === 'HEAD';
  const url =
    inQuery && fields.length > 0 ? `${server.endpoints[endpoint]}?${sent}` : server.endpoints[endpoint];
  const filled = Object.entries(headers).map(([name, value]) => [name, encodeBasic(fill(value))]);
  const response = await fetch(url, {
    method,
    headers: new Headers(Object.fromEntries(filled)),
    redirect: 'manual',
    body: inQuery ? null : body === undefined ? sent : fill(body),
  });
  return outcomeOf(response);
}

function encodeBasic(authorization: string): string {
  const [, credentials] = /^Basic (.*)$/.exec(authorization) ?? [];
  return credentials === undefined ? authorization : `Basic ${btoa(credentials)}`;
}

async function outcomeOf(response: Response): Promise<string> {
  const location = response.headers.get('location');
  const text = await response.text();
  if (location !== null) {
    if (!location.startsWith(redirectUri)) return 'sign in';
    const { searchParams, hash } = new URL(location);
    return `redirect ${searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error')}`;
  }
  // Of a route that does not exist.
  if (response.status === 404) return '404';
  const named =
    /"(?:error|code)":\s*"([\w-]+)"/.exec(text)?.[1] ?? /<strong>error<\/strong>: (\w+)/.exec(text)?.[1];
  return [response.status, named].filter((part) => part !== undefined).join(' ');
}
