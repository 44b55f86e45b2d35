import { randomBytes } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { createProviderSeal } from '../../../src/features/single-sign-on/provider-secrets.js';
import { randomId } from '../../../src/platform/database/ids.js';
import { Browser } from '../browser/browser.js';
import { createScene, type Scene } from '../oauth/users.js';
import { type TestApp, testSecrets } from '../server/app.js';
import type { Test } from '../tap.js';
import {
  type Claims,
  clientId,
  clientSecret,
  type FakeProvider,
  startFakeProvider,
} from './fake-provider.js';

/** An account with an identity provider and a confirmed domain. */
export interface SignOnScene extends Scene {
  readonly idp: FakeProvider;
  readonly domain: string;
  /** Path that starts single sign-on of the account. */
  readonly path: string;
}

export async function createSignOnScene(
  t: Test,
  api: TestApp,
  options: Parameters<typeof createScene>[1] & { issuer?: string } = {},
): Promise<SignOnScene> {
  const scene = await createScene(api.database, options);
  const { accountId } = scene;
  const idp = await startFakeProvider(t);
  await configure(api, accountId, options.issuer ?? idp.issuer);
  const domain = `${randomId(10).toLowerCase()}.example`;
  await api.database.prisma.accountDomain.create({ data: { domain, accountId } });
  return { ...scene, idp, domain, path: `/sign_in/sso/${accountId}` };
}

/** Stores an identity provider, as the settings page does. */
export async function configure({ database }: TestApp, accountId: string, issuer: string): Promise<void> {
  const sealedSecret = await createProviderSeal(testSecrets).seal(clientSecret);
  await database.prisma.identityProvider.create({ data: { accountId, issuer, clientId, sealedSecret } });
}

/** A sign-in that has been started in a browser. */
export interface Started {
  readonly browser: Browser;
  /** URL of the identity provider. */
  readonly url: URL;
  readonly state: string;
  readonly nonce: string;
  /** Sends the browser back with a code for an ID token. */
  return(claims: Claims, changes?: Record<string, string>): Promise<LightMyRequestResponse>;
}

/** Starts single sign-on. */
export async function start(
  { app }: Pick<TestApp, 'app'>,
  { idp, path }: Pick<SignOnScene, 'idp' | 'path'>,
  { browser = new Browser(app), address = path }: { browser?: Browser; address?: string } = {},
): Promise<Started> {
  const url = new URL(providerUrl(await browser.open(address)));
  const state = url.searchParams.get('state') ?? '';
  const nonce = url.searchParams.get('nonce') ?? '';
  return {
    ...{ browser, url, state, nonce },
    return(claims, changes = {}) {
      const code = randomBytes(16).toString('hex');
      idp.issue(code, { nonce, ...claims });
      return browser.open(`${path}/callback?${new URLSearchParams({ code, state, ...changes })}`);
    },
  };
}

/** URL of the identity provider: of the link of a page, or of a redirect. */
export function providerUrl({ statusCode, headers, body }: LightMyRequestResponse): string {
  if (statusCode === 303) return String(headers.location);
  const link = /<a class="button" href="([^"]+)"/.exec(body)?.[1];
  if (statusCode !== 200 || link === undefined) throw new Error(`Not started: ${statusCode} ${body}`);
  return link.replaceAll('&amp;', '&');
}

/** Claims of a person whose address is verified. */
export function person(email: string, changes: Claims = {}): Claims {
  return {
    sub: randomId(),
    email,
    email_verified: true,
    given_name: 'Grace',
    family_name: 'Hopper',
    ...changes,
  };
}

/** The user of a browser; `null` when none is signed in. */
export async function signedInUser(browser: Browser): Promise<string | null> {
  const { body } = await browser.open('/people/settings/account');
  return /<p>([^<]+@[^<]+)<\/p>/.exec(body)?.[1] ?? null;
}

/** Removes the audit events of failed sign-ins, and returns the details of the last one; `undefined` when there is none. */
export async function lastFailure(
  { database: { prisma } }: Pick<TestApp, 'database'>,
  { accountId }: Pick<SignOnScene, 'accountId'>,
): Promise<Record<string, string> | undefined> {
  const where = { accountId, type: 'sign_in.failed' };
  const orderBy = [{ createdAt: 'desc' }, { id: 'desc' }] as const;
  const event = await prisma.auditEvent.findFirst({ where, orderBy: [...orderBy] });
  await prisma.auditEvent.deleteMany({ where });
  return event?.details as Record<string, string> | undefined;
}
