import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import type { DatabaseOptions } from '../../../src/database/client.js';
import { allAccounts } from '../../../src/database/scope.js';
import { administrativeUrlOf, directUrlOf } from './direct-url.js';
import { copyEmbeddedTemplate } from './embedded-template.js';
import {
  createFromTemplate,
  createPostgresqlDatabase,
  dropPostgresqlDatabase,
} from './postgresql-template.js';

/**
 * Server that the tests use instead of the embedded database, or a connection pooler in front of it; its user is a
 * superuser.
 */
export const testServer: string | undefined = process.env.TEST_DATABASE_URL || undefined;

export interface TestDatabaseOptions {
  /** Without tables, for tests of the migrations themselves. */
  readonly empty?: boolean;
  /** Default: the server of TEST_DATABASE_URL when there is one. */
  readonly engine?: 'embedded';
  /** Bypasses the connection pooler, if there is one: for tests of what belongs to a session. */
  readonly direct?: boolean;
}

/**
 * Makes a database of the test's own, with every table and no rows, gone when the test ends. What a test does by itself
 * may touch every account, unlike what it asks the application to do.
 *
 * @returns what `openDatabase` takes.
 */
export async function createTestDatabase(
  t: Test,
  { empty = false, engine, direct = false }: TestDatabaseOptions = {},
): Promise<DatabaseOptions> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'people-api-test-'));
  t.teardown(() => rm(dataDir, { recursive: true, force: true }));
  if (testServer === undefined || engine === 'embedded') {
    await copyEmbeddedTemplate(dataDir, { empty });
    return { dataDir, defaultScope: allAccounts };
  }
  const databaseUrl = await (empty ? createPostgresqlDatabase(testServer) : createFromTemplate(testServer));
  t.teardown(() => dropPostgresqlDatabase(testServer, databaseUrl));
  const directDatabaseUrl = directUrlOf(databaseUrl);
  return {
    dataDir,
    databaseUrl: direct ? administrativeUrlOf(databaseUrl) : databaseUrl,
    directDatabaseUrl,
    defaultScope: allAccounts,
  };
}
