import type { LightMyRequestResponse } from 'fastify';
import type { Test } from 'tap';
import { restrictableAttributes } from '../../../src/platform/contract/employee-attributes.js';
import { type Browser, hiddenFields } from './browser.js';

export const applicationsPath = '/people/settings/oauth_applications';
export const connectedPath = '/people/settings/connected_applications';
export const auditLogPath = '/people/settings/audit_log';

export interface ApplicationFields {
  readonly name?: string;
  readonly client_type?: string;
  readonly redirect_uris?: readonly string[];
  readonly scopes?: readonly string[];
  readonly attributes?: readonly string[];
}

const good: Required<ApplicationFields> = {
  name: 'Payroll bridge',
  client_type: 'confidential',
  redirect_uris: ['https://client.example/callback'],
  scopes: ['reports:read', 'user:read'],
  attributes: restrictableAttributes,
};

/** The fields of an application's form as a browser sends them, with the hidden fields of the page. */
export function formOn(page: LightMyRequestResponse, changes: ApplicationFields = {}): string[][] {
  const { name, client_type, redirect_uris, scopes, attributes } = { ...good, ...changes };
  return [
    ...Object.entries(hiddenFields(page.body)),
    ['name', name],
    ['client_type', client_type],
    ...redirect_uris.map((uri) => ['redirect_uris', uri]),
    ...scopes.map((scope) => ['scopes', scope]),
    ...attributes.map((attribute) => ['attributes', attribute]),
  ];
}

/** Fills in the form for a new application and sends it. */
export async function createThroughPage(
  browser: Browser,
  changes: ApplicationFields = {},
  more: string[][] = [],
  opened?: LightMyRequestResponse,
): Promise<LightMyRequestResponse> {
  const page = opened ?? (await browser.open(`${applicationsPath}/new`));
  return browser.submit(applicationsPath, [...formOn(page, changes), ...more]);
}

/** Client id and secret as the page shows them once. */
export function credentialsOn(page: LightMyRequestResponse): { clientId: string; clientSecret: string } {
  const [, clientId] = /<code id="client-id">([^<]*)<\/code>/.exec(page.body) ?? [];
  const [, clientSecret] = /<code id="client-secret">([^<]*)<\/code>/.exec(page.body) ?? [];
  if (clientId === undefined || clientSecret === undefined) throw new Error(`No secret on ${page.body}`);
  return { clientId, clientSecret };
}

/** Opens a page of a list and all pages after it, by their links to the next. */
export async function openAll(browser: Browser, address: string): Promise<LightMyRequestResponse[]> {
  const page = await browser.open(address);
  const next = /<a href="([^"]*)" rel="next">/.exec(page.body)?.[1]?.replaceAll('&amp;', '&');
  return next === undefined ? [page] : [page, ...(await openAll(browser, next))];
}

/** Opens a confirmation page and submits its form. */
export async function confirm(browser: Browser, address: string): Promise<LightMyRequestResponse> {
  return browser.submitForm(await browser.open(address), address, {});
}

const inlineCode = /<style|<[^>]*\s(style|on[a-z]+)=|(href|src|action)="(javascript|data):/i;

const securityHeaders = {
  'content-type': /^text\/html; charset=utf-8$/,
  'cache-control': /^no-store$/,
  'content-security-policy': /^default-src 'none'; style-src 'self'.*frame-ancestors 'none'/,
  'x-frame-options': /^DENY$/,
  'x-content-type-options': /^nosniff$/,
  'referrer-policy': /^no-referrer$/,
};

/** Expects a page with its security headers. */
export function isPage(t: Test, response: LightMyRequestResponse, status = 200, label = ''): void {
  const { headers } = response;
  t.equal(response.statusCode, status, unexpected(response, status) ?? label);
  t.match(headers, securityHeaders, label);
  t.notMatch(String(headers['content-security-policy']), /unsafe|\*/, label);
  t.notMatch(response.body, inlineCode, `${label} no inline code`);
}

/** Expects a redirect to another page of the site. */
export function expectRedirect(
  t: Test,
  response: LightMyRequestResponse,
  location: string | RegExp,
  label = '',
): void {
  t.equal(response.statusCode, 303, unexpected(response, 303) ?? label);
  t.match(String(response.headers.location), location, label);
  t.equal(response.headers['cache-control'], 'no-store', label);
}

/** The unexpected response, for the failure message. */
function unexpected({ statusCode, body }: LightMyRequestResponse, status: number): string | undefined {
  return statusCode === status ? undefined : body.slice(0, 2000);
}
