import pg, { type Connection, type QueryConfig } from 'pg';
import type { Scope } from '../scope.js';
import { scopeMessages } from './scope-statement.js';

type Callback = (error: Error | null, result: unknown) => void;

/** The driver's query, with the methods that its types leave out. */
type DriverQuery = new (
  config: QueryConfig & { queryMode: 'extended' },
  values?: unknown[],
) => {
  readonly text: string;
  callback?: Callback;
  prepare(connection: Connection): void;
  submit(connection: Connection): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  /** Runs the statement and ends what is sent at once. */
  _getRows(connection: Connection, rows: number): void;
};

const beginning = /^\s*BEGIN\b/i;

/**
 * A query with a scope. Both are sent at once; a statement that begins a transaction comes before its scope, which holds
 * until the transaction ends.
 */
export class ScopedQuery extends (pg.Query as unknown as DriverQuery) {
  readonly #scope: Scope;
  readonly #begins: boolean;
  #completed = 0;

  constructor(config: QueryConfig, scope: Scope) {
    super({ ...config, queryMode: 'extended' });
    this.#scope = scope;
    this.#begins = beginning.test(config.text);
  }

  override prepare(connection: Connection): void {
    if (!this.#begins) sendScope(connection, this.#scope);
    super.prepare(connection);
  }

  override _getRows(connection: Connection, rows: number): void {
    if (!this.#begins) {
      super._getRows(connection, rows);
      return;
    }
    (connection as unknown as { execute(portal: object): void }).execute({ portal: '', rows: 0 });
    sendScope(connection, this.#scope);
    connection.sync();
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    this.#completed += 1;
    const isScope = this.#completed === (this.#begins ? 2 : 1);
    if (!isScope) super.handleCommandComplete(message, connection);
  }
}

function sendScope(connection: Connection, scope: Scope): void {
  if (!connection.stream.writable) return;
  for (const message of scopeMessages(scope)) connection.stream.write(message);
}
