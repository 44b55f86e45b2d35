import type { LightMyRequestResponse } from 'fastify';
import type { Test } from 'tap';
import { Browser } from '../browser/browser.js';
import type { TestApp } from '../server/app.js';
import type { Scene } from './users.js';

/** Parameters of the authorization response. Expects a redirect to the redirect URI. */
export function responseParameters(
  t: Test,
  response: LightMyRequestResponse,
  redirectUri: string,
): URLSearchParams {
  const location = new URL(String(response.headers.location));
  t.equal(`${location.origin}${location.pathname}`, redirectUri);
  t.equal(location.hash, '');
  return location.searchParams;
}

/** Reads the responses of the authorization endpoint, and the rows that it stores. */
export function authorizeResponses(api: TestApp) {
  const { app, database } = api;
  const codesOf = ({ application }: Scene) =>
    database.prisma.authorizationCode.findMany({ where: { applicationId: application.id } });

  /** Expects an error without a redirect: a page for a browser, a problem document for other clients. */
  async function rejectedHere(
    t: Test,
    url: string,
    status: number,
    code: string,
    { browser = new Browser(app), parameter }: { browser?: Browser; parameter?: string } = {},
  ): Promise<void> {
    const label = url.slice(0, 300);
    const page = await browser.open(url);
    t.equal(page.statusCode, status, label);
    t.match(page.headers['content-type'], /^text\/html/, label);
    t.notOk('location' in page.headers, label);
    t.equal(page.headers['cache-control'], 'no-store', label);
    t.match(page.headers['content-security-policy'], /default-src 'none'/, label);
    t.match(page.body, new RegExp(`<code>${code}</code>`), label);

    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const problem = await app.inject({ url, headers: { accept: 'application/json', cookie } });
    t.equal(problem.statusCode, status, label);
    t.equal(problem.headers['content-type'], 'application/problem+json', label);
    t.notOk('location' in problem.headers, label);
    t.equal(problem.json().code, code, label);
    if (parameter === undefined) return;
    const named = problem.json().errors.map((error: { parameter?: string }) => error.parameter);
    t.same([...new Set(named)], [parameter], label);
  }

  return { codesOf, rejectedHere };
}
