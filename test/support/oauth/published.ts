import type { LightMyRequestResponse } from 'fastify';
import type { Role } from '../../../src/platform/accounts/user.js';
import type { Database } from '../../../src/platform/database/client.js';
import { type Browser, hiddenFields } from '../browser/browser.js';
import { createTenant } from '../records/tenant.js';
import type { TestApp } from '../server/app.js';
import { authorizationRequest, createScene, createUser, type Scene, signedInBrowser } from './users.js';

/** An account with an application that other accounts can use. */
export async function createPublisher(
  database: Database,
  options: Parameters<typeof createScene>[1] = {},
): Promise<Scene> {
  const scene = await createScene(database, { name: 'Payroll Sync', accountName: 'Globex', ...options });
  const { application, accountId: publisherAccountId } = scene;
  const { id: applicationId, clientId } = application;
  await database.prisma.sharedApplication.create({ data: { clientId, publisherAccountId, applicationId } });
  return scene;
}

/** Stores the document of a client, which is fresh for a day, and returns its `client_id`. */
export async function storeDocument(
  { database, clock }: TestApp,
  clientId: string,
  { redirectUris = ['https://client.example/callback'], scopes = null as string[] | null } = {},
): Promise<string> {
  const day = new Date(clock().getTime() + 86_400_000);
  const document = { clientId, name: 'Notes & Co', clientUri: null, redirectUris, scopes };
  await database.prisma.sharedApplication.create({
    data: { clientId, document, freshUntil: day, usableUntil: day },
  });
  return clientId;
}

/** A user of a new account, or of the given one, in a browser. */
export async function createVisitor(
  api: TestApp,
  role: Role,
  account?: { readonly accountId: Scene['accountId'] },
) {
  const { accountId } = account ?? (await createTenant(api.database));
  const user = await createUser(api.database, accountId, { role });
  return { accountId, user, browser: await signedInBrowser(api, user) };
}

/** The address of the page that approves an application, and that of its authorization request. */
export function approvalOf(publisher: Scene, changes: Record<string, string> = {}) {
  const { url: authorization } = authorizationRequest(publisher, changes);
  return { authorization, approval: authorization.replace('/v1/oauth/authorize', '/approve_application') };
}

/** Submits the form of a page that approves an application, with these scopes. */
export function submitApproval(
  browser: Browser,
  page: LightMyRequestResponse,
  action: string,
  scopes: readonly string[],
): Promise<LightMyRequestResponse> {
  return browser.submit(action, [
    ...Object.entries(hiddenFields(page.body)),
    ...scopes.map((scope) => ['scopes', scope]),
  ]);
}

/** Approves an application through the page, as an owner of the account. */
export async function approveAs(
  browser: Browser,
  publisher: Scene,
  scopes: readonly string[] = ['reports:read', 'user:read'],
): Promise<void> {
  const { approval } = approvalOf(publisher);
  const response = await submitApproval(browser, await browser.open(approval), approval, scopes);
  if (response.statusCode !== 303) throw new Error(`${response.statusCode} ${response.body}`);
}
