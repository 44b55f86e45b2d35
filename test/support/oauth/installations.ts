import { Approvals } from '../../../src/features/installations/approvals.js';
import { ClientRegistry } from '../../../src/oauth/clients/client-registry.js';
import { Publications } from '../../../src/oauth/clients/publications.js';
import type { Role } from '../../../src/platform/accounts/user.js';
import { createTenant, makeEmployees } from '../records/tenant.js';
import type { TestApp } from '../server/app.js';
import { createScene, createUser, type Scene, type TestUser } from './users.js';

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

/** Approves the application as it is now, as the page does. Returns the id of the installation. */
export async function approve(
  { database, clock }: TestApp,
  clientId: string,
  user: TestUser,
  scopes?: readonly string[],
): Promise<string> {
  const client = await new ClientRegistry(database).find(clientId);
  if (client === null) throw new Error('Unknown client');
  const context = { accountId: user.accountId, userId: user.id, origin, at: clock() };
  const approval = { client, scopes: scopes ?? client.scopes };
  const outcome = await new Approvals(database).approve(context, approval);
  if (outcome.kind !== 'approved') throw new Error(outcome.kind);
  return outcome.applicationId;
}

/** A new account with two employees that has approved a published application. */
export async function installedScene(
  api: TestApp,
  publisher: Scene,
  { role = 'owner', scopes }: { role?: Role; scopes?: readonly string[] } = {},
): Promise<InstallationScene> {
  const { database } = api;
  const { accountId, employeeIds } = await createTenant(database, { employees: makeEmployees(2) });
  const owner = await createUser(database, accountId);
  const user = role === 'owner' ? owner : await createUser(database, accountId, { role });
  const id = await approve(api, publisher.application.clientId, owner, scopes);
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
