import { hash } from '@node-rs/argon2';
import type pg from 'pg';
import type { Random } from '../../../test/support/input/random.js';
import { PostgresqlServer } from '../kit/database/postgresql.js';
import { fillTenants, readableAttributes, scopes, tenant } from '../kit/database/tenants.js';
import type { RedirectingClient } from '../kit/http/browser.js';
import { HttpClient, type HttpResponse, jsonOf, type Send } from '../kit/http/client.js';
import { clientCredentials } from '../kit/http/requests.js';
import { type OurServerOptions, startOurs } from '../kit/server/ours.js';
import type { ServerProcess } from '../kit/server/process.js';
import type { Verdict } from './verdict.js';

export const allScopes = scopes.join(' ');

const password = 'a password for trials only';
const redirectUri = 'https://client.trials.example/callback';

export interface Application extends RedirectingClient {
  readonly id: string;
}

/** One of several accounts that have the same kinds of records. */
export interface Account {
  readonly accountId: string;
  /** A confidential application. */
  readonly application: Application;
  readonly publicApplication: Application;
  readonly owner: { readonly id: string; readonly email: string; readonly password: string };
}

/** Accounts in a database, and the server for them. */
export interface Setup {
  readonly url: string;
  readonly accounts: readonly Account[];
  readonly send: Send;
  readonly random: Random;
}

interface AccountsSize {
  readonly name: string;
  readonly accounts: number;
  /** Of each account. */
  readonly employees: number;
}

/** Creates a database with accounts, calls `use` with it, and drops it. */
export async function withAccounts(
  { name, accounts, employees }: AccountsSize,
  use: (created: Pick<Setup, 'url' | 'accounts'>) => Promise<void>,
): Promise<void> {
  const server = await PostgresqlServer.open(
    process.env.TRIALS_DATABASE_URL || 'postgres://root@127.0.0.1:5432/postgres',
  );
  try {
    const { url } = await server.database(`trial_${name}`, async (client) => {
      await fillTenants({ tenants: accounts, employees })(client);
      await addPeople(client);
    });
    await use({ url, accounts: Array.from({ length: accounts }, (_, index) => accountNumbered(index + 1)) });
  } finally {
    await server.close();
  }
}

/**
 * Does the same with a server and a client. At the end it checks that the server is healthy and ready.
 *
 * @param options of the server
 */
export function withServer(
  size: AccountsSize,
  { verdict, ...options }: { verdict: Verdict } & Partial<OurServerOptions>,
  use: (running: Omit<Setup, 'random'> & { server: ServerProcess; client: HttpClient }) => Promise<void>,
): Promise<void> {
  return withAccounts(size, async (created) => {
    const server = await startServer({ databaseUrl: created.url, ...options });
    const client = new HttpClient(server.port);
    const { send } = client;
    try {
      await use({ ...created, server, client, send });
      const { status } = await send({ path: '/readyz' });
      verdict.check('the server is alive and ready', server.isAlive() && status === 200);
    } finally {
      client.close();
      await server.stop();
    }
  });
}

/** Starts the built server with a log of warnings only. */
export function startServer({ environment, ...options }: OurServerOptions): Promise<ServerProcess> {
  return startOurs({ ...options, environment: { LOG_LEVEL: 'warn', ...environment } });
}

/** Requests an access token by client credentials. */
export async function requestToken(send: Send, application: Application, scope = allScopes): Promise<string> {
  return jsonOf(await send(clientCredentials(application, scope))).access_token;
}

/** Method, path, status and the start of the body, for a violation. */
export function describeExchange(
  { method = 'GET', path }: { method?: string; path: string },
  { status, body }: HttpResponse,
): string {
  return `${method} ${path.slice(0, 120)}: ${status} ${body.toString('utf8').slice(0, 300)}`;
}

/** The account with this number, counted from 1. */
function accountNumbered(number: number): Account {
  const { accountId, clientId, clientSecret } = tenant(number);
  const n = accountId.slice(5);
  return {
    accountId,
    application: { id: `application${n}`, clientId, clientSecret, redirectUri },
    publicApplication: { id: `publicapp${n}`, clientId: `public${n}`, redirectUri },
    owner: { id: `user${n}`, email: `owner.${n}@bench.example`, password },
  };
}

/** Sets the passwords of the owners, and gives each account a public application. */
async function addPeople(client: pg.Client): Promise<void> {
  // A hash contains its own parameters. These make it cheap.
  const passwordHash = await hash(password, { memoryCost: 64, timeCost: 1, parallelism: 1 });
  await client.query('UPDATE users SET password_hash = $1', [passwordHash]);
  await client.query('UPDATE applications SET redirect_uris = ARRAY[$1]', [redirectUri]);
  await client.query(
    `INSERT INTO applications (id, account_id, client_id, name, client_type, scopes, redirect_uris, readable_attributes)
     SELECT 'publicapp' || right(id, 8), id, 'public' || right(id, 8), 'Public ' || right(id, 8), 'public', $1, ARRAY[$2], $3
     FROM accounts`,
    [scopes, redirectUri, readableAttributes],
  );
}
