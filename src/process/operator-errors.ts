import { ConfigError } from '../config/config-error.js';
import {
  DatabaseOpenError,
  DatabaseStoppedError,
  describeError,
  isDatabaseUnavailable,
} from '../database/database-errors.js';
import { MigrationError } from '../database/migrate.js';
import { UnreadableSigningKeyError } from '../oauth/sealed-keys.js';
import { IssuerError } from '../services/recorded-issuer.js';

const kinds = [
  ConfigError,
  DatabaseOpenError,
  DatabaseStoppedError,
  MigrationError,
  UnreadableSigningKeyError,
  IssuerError,
];

/**
 * What to print when a process cannot go on. Of a mistake of whoever runs it one line says it all; of anything
 * else the stack trace is needed.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (kinds.some((kind) => error instanceof kind)) return error.message;
  if (isDatabaseUnavailable(error)) return `The database cannot serve: ${describeError(error)}`;
  return error.stack ?? error.message;
}
