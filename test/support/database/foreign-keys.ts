import { citusWorkers } from './postgresql-template.js';

/** Options of a test in which an account is deleted: a distributed database has no foreign keys from account data to accounts. */
export const withForeignKeys: { skip?: string } =
  citusWorkers.length > 0 ? { skip: 'a distributed database keeps the rows of a deleted account' } : {};
