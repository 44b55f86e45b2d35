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
import { UnreadableProviderSecretError } from '../services/single-sign-on/provider-secrets.js';
import { UnreadableWebhookSecretError } from '../services/webhooks/webhook-secrets.js';

const kinds = [
  ConfigError,
  DatabaseOpenError,
  DatabaseStoppedError,
  MigrationError,
  UnreadableSigningKeyError,
  UnreadableProviderSecretError,
  UnreadableWebhookSecretError,
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
