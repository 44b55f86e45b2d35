import type { Database } from '../../../src/platform/database/client.js';

/** Options of a test in which an account is deleted: a distributed database has no foreign keys from account data to accounts. */
export const withForeignKeys = (database: Pick<Database, 'isDistributed'>): { skip?: string } =>
  database.isDistributed() ? { skip: 'a distributed database keeps the rows of a deleted account' } : {};
