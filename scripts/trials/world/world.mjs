import { hash } from '@node-rs/argon2';
import { openServer, withClient } from '../../bench/database/server.mjs';
import { fillTenants, tenant } from '../../bench/database/tenants.mjs';

const password = 'a password for trials only';
export const redirectUri = 'https://client.trials.example/callback';
export const allScopes = 'reports:read reports:write user:read user:write';

/**
 * @typedef {object} Account One of several that hold the same kinds of records.
 * @property {string} accountId
 * @property {{ clientId: string, clientSecret: string, redirectUri: string }} application confidential
 * @property {{ clientId: string, redirectUri: string }} publicApplication
 * @property {{ id: string, email: string, password: string }} owner
 */

/**
 * Makes a database with accounts in it, lends it, and drops it.
 *
 * @template Result
 * @param {{ name: string, accounts: number, employees: number }} size employees: of each account
 * @param {(world: { url: string, accounts: Account[] }) => Promise<Result>} use
 * @returns {Promise<Result>}
 */
export async function withWorld({ name, accounts, employees }, use) {
  const url = process.env.TRIALS_DATABASE_URL || 'postgres://root@127.0.0.1:5432/postgres';
  const server = await openServer(url, { keep: false });
  try {
    const database = await server.database(`trial_${name}`, async (client) => {
      await fillTenants({ tenants: accounts, employees })(client);
      await addPeople(client);
    });
    return await use({
      url: database.url,
      accounts: Array.from({ length: accounts }, (_, index) => describe(index + 1)),
    });
  } finally {
    await server.close();
  }
}

/** Asks the database one question, past the server. */
export function ask(url, text, values = []) {
  return withClient(url, async (client) => (await client.query(text, values)).rows);
}

function describe(number) {
  const { accountId, clientId, clientSecret } = tenant(number);
  const n = accountId.slice(5);
  return {
    accountId,
    application: { id: `application${n}`, clientId, clientSecret, redirectUri },
    publicApplication: { id: `publicapp${n}`, clientId: `public${n}`, redirectUri },
    owner: { id: `user${n}`, email: `owner.${n}@bench.example`, password },
  };
}

/** Lets the owners sign in, and gives each account a public application. */
async function addPeople(client) {
  // A hash says by itself how much work it takes; this one takes next to none.
  const passwordHash = await hash(password, { memoryCost: 64, timeCost: 1, parallelism: 1 });
  await client.query('UPDATE users SET password_hash = $1', [passwordHash]);
  await client.query('UPDATE applications SET redirect_uris = ARRAY[$1]', [redirectUri]);
  await client.query(
    `INSERT INTO applications (id, account_id, client_id, name, client_type, scopes, redirect_uris)
     SELECT 'publicapp' || right(id, 8), id, 'public' || right(id, 8), 'Public ' || right(id, 8), 'public', $1, ARRAY[$2]
     FROM accounts`,
    [allScopes.split(' '), redirectUri],
  );
}
