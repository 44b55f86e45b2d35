import type { Test } from 'tap';
import { demoAccounts, demoPassword } from '../../../../src/features/demo-data/accounts.js';
import { toAccountId } from '../../../../src/platform/accounts/account-id.js';
import { grantTokens, type Scene } from '../../../support/oauth/users.js';
import type { TestApplication } from '../../../support/records/tenant.js';
import { contract } from '../../../support/server/app.js';
import { type DemoServer, startDemoServer } from '../../../support/server/demo-server.js';

/** A server with the demo data, and the tokens that requests to it need. */
export interface PrismWorld {
  readonly server: DemoServer;
  /** The public application of the demo data, and the user who owns the account. */
  readonly scene: Scene;
  readonly confidential: TestApplication;
  readonly tokens: {
    /** Of a user, with every scope. */
    readonly user: string;
    /** Of no user, with every scope. */
    readonly application: string;
    /** Of a user, with only this scope. */
    readonly limited: Readonly<Record<string, string>>;
  };
}

/** Starts a server, and stops it when the test ends. */
export async function createPrismWorld(t: Test): Promise<PrismWorld> {
  const server = await startDemoServer(t);
  const scene = demoScene();
  const scopes = Object.keys(contract.scopes);
  const userToken = async (scope: string) => (await grantTokens(server.api, scene, { scope })).accessToken;
  const limited: Record<string, string> = {};
  for (const scope of scopes) limited[scope] = await userToken(scope);
  return {
    server,
    scene,
    confidential: server.backend,
    tokens: {
      user: await userToken(scopes.join(' ')),
      application: await server.api.token(server.backend),
      limited,
    },
  };
}

function demoScene(): Scene {
  const [acme] = demoAccounts;
  const user = acme?.users[0];
  const application = acme?.applications.find(({ clientSecret }) => clientSecret === undefined);
  const redirectUri = application?.redirectUris[0];
  if (acme === undefined || user === undefined || application === undefined || redirectUri === undefined) {
    throw new Error('The demo data has no public application');
  }
  const accountId = toAccountId(acme.id);
  return {
    accountId,
    user: { id: user.id, accountId, email: user.email, password: demoPassword },
    application: { id: application.id, clientId: application.clientId, clientSecret: '' },
    redirectUri,
  };
}
