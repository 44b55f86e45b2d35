import { DriverAdapterError } from '@prisma/driver-adapter-utils';

/** The database could not be opened. The message is one line that names the environment variable to correct. */
export class DatabaseOpenError extends Error {
  override readonly name = 'DatabaseOpenError';
}

/** The embedded database has stopped; a new process must open it. `code` is the SQLSTATE of PostgreSQL. */
export class DatabaseStoppedError extends Error {
  override readonly name = 'DatabaseStoppedError';
  readonly code = '57P02';
}

/** Rows stayed locked by another transaction for too long. `code` is the SQLSTATE of PostgreSQL. */
export class RowsLockedError extends Error {
  override readonly name = 'RowsLockedError';
  readonly code = '55P03';
}

/**
 * Returns the name of the unique constraint that a failed write violated, such as `users_email_key`; `undefined` for other
 * errors. It is the same for Prisma's models, raw queries and the driver, on PostgreSQL and the embedded database.
 */
export function violatedUniqueConstraint(error: unknown): string | undefined {
  for (const { code, kind, constraint } of layersOf(error)) {
    if (code === '23505' && typeof constraint === 'string') return constraint;
    if (kind === 'UniqueConstraintViolation' && isRecord(constraint)) return String(constraint.index);
  }
  return undefined;
}

/** Whether the database is unavailable. The response is 503 with `Retry-After`. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return layersOf(error).some(
    ({ code, originalCode, kind, message }) =>
      [code, originalCode].some((value) => typeof value === 'string' && isUnavailableCode(value)) ||
      (typeof kind === 'string' && unavailableKinds.has(kind)) ||
      (typeof message === 'string' && unavailableMessage.test(message)),
  );
}

/** Whether a statement failed because its transaction is read-only, as on a standby. */
export function isReadOnlyTransaction(error: unknown): boolean {
  return hasCode(error, '25006');
}

/** Whether PostgreSQL cancelled a statement, because of its time limit or on request. */
export function isStatementCanceled(error: unknown): boolean {
  return hasCode(error, '57014');
}

/** Whether a transaction conflicted with another one, and can be retried. */
export function isWriteConflict(error: unknown): boolean {
  return hasCode(error, '40001', '40P01', 'P2034', 'TransactionWriteConflict');
}

/** Whether a statement waited for a lock for longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return hasCode(error, '55P03');
}

function hasCode(error: unknown, ...codes: readonly unknown[]): boolean {
  return layersOf(error).some(({ code, originalCode, kind }) =>
    [code, originalCode, kind].some((value) => codes.includes(value)),
  );
}

/**
 * Whether the database rejected a statement, so that nothing was stored. `false` when the database is unavailable or the
 * connection was lost, because the outcome is unknown then.
 */
export function isStatementRejected(error: unknown): boolean {
  return layersOf(error).some(
    ({ code }) =>
      typeof code === 'string' &&
      sqlState.test(code) &&
      code !== statementCompletionUnknown &&
      (timeouts.includes(code) || !isUnavailableCode(code)),
  );
}

type DatabaseErrorKind = 'unavailable' | 'conflict' | 'constraint' | 'other';

/** Classifies the error of a statement. */
export function databaseErrorKind(error: unknown): DatabaseErrorKind {
  if (isDatabaseUnavailable(error)) return 'unavailable';
  if (isWriteConflict(error)) return 'conflict';
  return isConstraintViolation(error) ? 'constraint' : 'other';
}

/** Whether a constraint was violated, by the codes of PostgreSQL and Prisma. */
function isConstraintViolation(error: unknown): boolean {
  return layersOf(error).some(
    ({ code, kind }) =>
      (typeof code === 'string' && /^23|^P200[234]$|^P2011$/.test(code)) ||
      (typeof kind === 'string' && kind.endsWith('ConstraintViolation')),
  );
}

/** Describes an error in one line, without the connection URL. */
export function describeError(error: unknown): string {
  const messages = layersOf(error).map(({ message, code }) => message || code);
  const innermost = messages.findLast((text) => typeof text === 'string' && text !== '');
  return String(innermost ?? error).split('\n', 1)[0] ?? '';
}

function isUnavailableCode(code: string): boolean {
  return unavailableCodes.has(code) || /^(08|53|57P)/.test(code);
}

/** SQLSTATE codes, as opposed to codes of Node.js and Prisma. */
const sqlState = /^(\d[\dA-Z]|P0|XX)[\dA-Z]{3}$/;

const statementCompletionUnknown = '40003';

/** SQLSTATE codes: a statement was cancelled, or a wait for a lock took too long. */
const timeouts: readonly string[] = ['57014', '55P03'];

const unavailableCodes = new Set([
  // Node.js: sockets.
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
  ...['EHOSTUNREACH', 'ENETUNREACH'],
  ...timeouts,
  // PostgreSQL: a transaction left idle, and a primary that was demoted.
  ...['25P03', '25006'],
  // Prisma: unreachable, timed out, closed, no connection or no transaction in time, too many connections.
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037'],
]);

const unavailableKinds = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'TlsConnectionError',
]);

// The errors of the driver have no code. The last one is of Citus, when a worker is lost during a commit; its code is that of
// an internal error.
const unavailableMessage =
  /^(timeout exceeded when trying to connect|Connection terminated|Query read timeout|timeout expired|Client has encountered a connection error|Client was closed and is not queryable|Cannot use a pool after calling end|PGlite is clos|could not commit transaction for shard)/i;

type Layer = Record<string, unknown>;

/** The error, its causes, and the adapter's error in a Prisma error; outermost first. */
function layersOf(error: unknown): Layer[] {
  const layers: Layer[] = [];
  const waiting: unknown[] = [error];
  // Errors may be causes of each other.
  while (waiting.length > 0 && layers.length < 20) {
    const layer = waiting.shift();
    if (!isRecord(layer)) continue;
    layers.push(layer);
    waiting.push(layer.cause, isRecord(layer.meta) ? layer.meta.driverAdapterError : undefined);
    if (Array.isArray(layer.errors)) waiting.push(...layer.errors);
  }
  return layers;
}

function isRecord(value: unknown): value is Layer {
  return typeof value === 'object' && value !== null;
}

const uniqueViolation = '23505';

/** Converts an error of PostgreSQL to an error of Prisma's driver adapters. Other errors are returned unchanged. */
export function toAdapterError(error: unknown): unknown {
  const { code, severity, message, detail, hint, constraint } = error as Partial<Record<string, string>>;
  if (code === undefined || severity === undefined) return error;
  const original = { originalCode: code, originalMessage: message ?? '' };
  if (code === uniqueViolation && constraint !== undefined) {
    return new DriverAdapterError({
      kind: 'UniqueConstraintViolation',
      constraint: { index: constraint },
      ...original,
    });
  }
  return new DriverAdapterError({
    kind: 'postgres',
    code,
    severity,
    message: message ?? '',
    detail,
    hint,
    column: undefined,
    ...original,
  });
}
