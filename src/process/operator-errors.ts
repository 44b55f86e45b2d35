import { IssuerError } from '../oauth/recorded-issuer.js';
import { CliError } from '../platform/cli/cli-error.js';
import { ConfigError } from '../platform/config/environment.js';
import { NotBuiltError } from '../platform/contract/contract.js';
import { UnreadableSecretError } from '../platform/crypto/keyring.js';
import {
  DatabaseOpenError,
  DatabaseStoppedError,
  describeError,
  isDatabaseUnavailable,
} from '../platform/database/database-errors.js';
import { MigrationError } from '../platform/database/migrate.js';

const kinds = [
  CliError,
  ConfigError,
  NotBuiltError,
  DatabaseOpenError,
  DatabaseStoppedError,
  MigrationError,
  UnreadableSecretError,
  IssuerError,
];

/**
 * Describes the error that makes a process exit: one line for errors of configuration and operation, the stack trace for
 * others.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (kinds.some((kind) => error instanceof kind)) return error.message;
  if (isDatabaseUnavailable(error)) return `The database is unavailable: ${describeError(error)}`;
  return error.stack ?? error.message;
}
