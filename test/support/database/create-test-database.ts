import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import type { DatabaseOptions } from '../../../src/platform/database/client.js';
import { allAccounts } from '../../../src/platform/database/scope.js';
import { patienceMs } from '../patience.js';
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

/** Options of a test that uses only the embedded database. A run on a server does not repeat it. */
export const onEmbedded = {
  skip: testServer !== undefined && 'it uses only the embedded database',
} as const;

export interface TestDatabaseOptions {
  /** Without tables, for tests of migrations. */
  readonly empty?: boolean;
  /** Default: the server of TEST_DATABASE_URL when there is one. */
  readonly engine?: 'embedded';
  /** Bypasses the connection pooler, if there is one, for tests of the state of sessions. */
  readonly direct?: boolean;
}

/** Time limits in milliseconds that no statement of a test reaches, however busy the machine is. */
const generous = {
  connectionTimeoutMs: patienceMs,
  transactionLimits: { maxWait: patienceMs, timeout: patienceMs },
  statementTimeoutMs: patienceMs,
  reportStatementTimeoutMs: patienceMs,
} as const satisfies Partial<DatabaseOptions>;

/**
 * Creates a database with every table and no rows, and drops it when the test ends. Statements of the test itself have the
 * scope of all accounts, unlike those of the application.
 *
 * @returns options for `openDatabase`
 */
export async function createTestDatabase(
  t: Test,
  { empty = false, engine, direct = false }: TestDatabaseOptions = {},
): Promise<DatabaseOptions> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'people-api-test-'));
  t.teardown(() => rm(dataDir, { recursive: true, force: true }));
  if (testServer === undefined || engine === 'embedded') {
    await copyEmbeddedTemplate(dataDir, { empty });
    return { dataDir, defaultScope: allAccounts, ...generous };
  }
  const databaseUrl = await (empty ? createPostgresqlDatabase(testServer) : createFromTemplate(testServer));
  t.teardown(() => dropPostgresqlDatabase(testServer, databaseUrl));
  const directDatabaseUrl = directUrlOf(databaseUrl);
  return {
    dataDir,
    databaseUrl: direct ? administrativeUrlOf(databaseUrl) : databaseUrl,
    directDatabaseUrl,
    defaultScope: allAccounts,
    ...generous,
  };
}
