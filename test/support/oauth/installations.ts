import type { LightMyRequestResponse } from 'fastify';
import { Approvals } from '../../../src/features/installations/approvals.js';
import { ClientRegistry } from '../../../src/oauth/clients/client-registry.js';
import { Publications } from '../../../src/oauth/clients/publications.js';
import type { Role } from '../../../src/platform/accounts/user.js';
import { restrictableAttributes } from '../../../src/platform/contract/employee-attributes.js';
import type { Database } from '../../../src/platform/database/client.js';
import { type Browser, hiddenFields } from '../browser/browser.js';
import { createTenant, makeEmployees } from '../records/tenant.js';
import type { TestApp } from '../server/app.js';
import {
  authorizationRequest,
  createScene,
  createUser,
  type Scene,
  signedInBrowser,
  type TestUser,
} from './users.js';

export const origin = { address: '192.0.2.1', requestId: 'request' };

/** An installation of a published application in another account, with a user of that account. */
export interface InstallationScene extends Scene {
  /** The owner of the account, who approved the application. */
  readonly owner: TestUser;
  /** The internal client id. */
  readonly internalId: string;
  readonly employeeIds: readonly string[];
}

/** The scopes of the applications that {@link publishedScene} publishes. */
export const publishedScopes = [
  'reports:read',
  'reports:write',
  'user:read',
  'webhooks:read',
  'webhooks:write',
];

/** An account that has published its application. */
export async function publishedScene(
  api: TestApp,
  options: Parameters<typeof createScene>[1] = {},
): Promise<Scene> {
  const scene = await createScene(api.database, { scopes: publishedScopes, ...options });
  await publish(api, scene);
  return scene;
}

export function publish({ database, clock }: TestApp, { accountId, application }: Scene) {
  return new Publications(database).publish({ accountId, applicationId: application.id, at: clock() });
}

export function withdraw({ database, clock }: TestApp, { accountId, application }: Scene) {
  return new Publications(database).withdraw({ accountId, applicationId: application.id, at: clock() });
}

/**
 * Approves the application as it is now, as the page does. By default, it may read every attribute. Returns the id of the
 * installation.
 */
export async function approve(
  { database, clock }: TestApp,
  clientId: string,
  user: TestUser,
  scopes?: readonly string[],
  readableAttributes: readonly string[] = restrictableAttributes,
): Promise<string> {
  const client = await new ClientRegistry(database).find(clientId);
  if (client === null) throw new Error('Unknown client');
  const context = { accountId: user.accountId, userId: user.id, origin, at: clock() };
  const approval = { client, scopes: scopes ?? client.scopes, readableAttributes };
  const outcome = await new Approvals(database).approve(context, approval);
  if (outcome.kind !== 'approved') throw new Error(outcome.kind);
  return outcome.applicationId;
}

/** A new account with two employees that has approved a published application. */
export async function installedScene(
  api: TestApp,
  publisher: Scene,
  {
    role = 'owner',
    scopes,
    readableAttributes,
  }: { role?: Role; scopes?: readonly string[]; readableAttributes?: readonly string[] } = {},
): Promise<InstallationScene> {
  const { database } = api;
  const { accountId, employeeIds } = await createTenant(database, { employees: makeEmployees(2) });
  const owner = await createUser(database, accountId);
  const user = role === 'owner' ? owner : await createUser(database, accountId, { role });
  const id = await approve(api, publisher.application.clientId, owner, scopes, readableAttributes);
  const stored = await database.prisma.application.findUniqueOrThrow({
    where: { accountId_id: { accountId, id } },
  });
  return {
    accountId,
    user,
    owner,
    employeeIds,
    internalId: stored.clientId,
    redirectUri: publisher.redirectUri,
    application: { ...publisher.application, id },
  };
}

/** An account that has published its application, for tests of pages: with names that they show. */
export async function createPublisher(
  database: Database,
  options: Parameters<typeof createScene>[1] = {},
): Promise<Scene> {
  const scene = await createScene(database, { name: 'Payroll Sync', accountName: 'Globex', ...options });
  const { accountId, application } = scene;
  await new Publications(database).publish({ accountId, applicationId: application.id, at: new Date() });
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

/** Submits the form of a page that approves an application, with these scopes and attributes. */
export function submitApproval(
  browser: Browser,
  page: LightMyRequestResponse,
  action: string,
  scopes: readonly string[],
  attributes: readonly string[] = restrictableAttributes,
): Promise<LightMyRequestResponse> {
  return browser.submit(action, [
    ...Object.entries(hiddenFields(page.body)),
    ...scopes.map((scope) => ['scopes', scope]),
    ...attributes.map((attribute) => ['attributes', attribute]),
  ]);
}

/** Approves an application through the page, as an owner of the account. */
export async function approveAs(
  browser: Browser,
  publisher: Scene,
  scopes: readonly string[] = ['reports:read', 'user:read'],
  attributes?: readonly string[],
): Promise<void> {
  const { approval } = approvalOf(publisher);
  const response = await submitApproval(browser, await browser.open(approval), approval, scopes, attributes);
  if (response.statusCode !== 303) throw new Error(`${response.statusCode} ${response.body}`);
}
