import pg from 'pg';
import type { Test } from 'tap';
import type { DatabaseOptions } from '../../../src/platform/database/client.js';
import { randomId } from '../../../src/platform/database/ids.js';
import { administrativeUrlOf, directUrlOf } from './direct-url.js';
import { dropPostgresqlDatabase } from './postgresql-template.js';

/** A PostgreSQL user that owns an empty database. Both are dropped when the test ends. */
export interface DatabaseUser {
  readonly name: string;
  /** Options for `openDatabase`: the database, as the user. */
  readonly options: DatabaseOptions & { readonly databaseUrl: string };
  /** Runs a statement in the database as the user of the test server, a superuser. */
  asAdministrator(statement: string): Promise<Record<string, unknown>[]>;
}

/**
 * @param serverUrl names a superuser
 * @param attributes of the user, such as `BYPASSRLS`
 */
export async function createDatabaseUser(t: Test, serverUrl: string, attributes = ''): Promise<DatabaseUser> {
  const name = `people_api_test_${randomId(12)}`;
  const password = randomId();
  await run(serverUrl, `CREATE ROLE ${name} LOGIN PASSWORD '${password}' ${attributes}`);
  t.teardown(() => run(serverUrl, `DROP ROLE ${name}`));
  await run(serverUrl, `CREATE DATABASE ${name} OWNER ${name}`);
  const administratorUrl = urlOf(serverUrl, { pathname: `/${name}` });
  t.teardown(() => dropPostgresqlDatabase(serverUrl, administratorUrl));
  const databaseUrl = urlOf(administratorUrl, { username: name, password });
  return {
    name,
    options: { databaseUrl, directDatabaseUrl: directUrlOf(databaseUrl), dataDir: '' },
    asAdministrator: (statement) => run(administratorUrl, statement),
  };
}

/** Grants a user the role of the service, as a superuser does before the first start. */
export async function grantTenantRole({ name, asAdministrator }: DatabaseUser): Promise<void> {
  await asAdministrator(`DO $$ BEGIN
    CREATE ROLE people_api_tenant NOLOGIN;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
  END $$`);
  await asAdministrator(`GRANT people_api_tenant TO ${name}`);
}

async function run(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: administrativeUrlOf(url) });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

function urlOf(url: string, changes: Partial<Pick<URL, 'pathname' | 'username' | 'password'>>): string {
  return Object.assign(new URL(url), changes).toString();
}
