import pg, { type Connection, type QueryConfig, type QueryResult } from 'pg';
import type { Scope } from '../scope.js';
import type { TransactionSettings } from './transaction-settings.js';

/**
 * The driver's query, with the part of its protocol that its types omit. The public `Submittable` would have to parse results
 * itself.
 */
interface DriverQuery {
  callback: (error: Error | null, result?: QueryResult) => void;
  submit(connection: Connection): Error | null;
  handleCommandComplete(message: unknown, connection: Connection): void;
}

const DriverQuery = pg.Query as unknown as new (
  config: QueryConfig & { queryMode: 'extended' },
) => DriverQuery;

/**
 * A statement in its own transaction, sent in one write with the settings of the transaction. Not for a distributed database,
 * where the transaction is a block.
 */
export class ScopedQuery extends DriverQuery {
  readonly #settings: TransactionSettings;
  readonly #scope: Scope;
  #hasSettings = false;

  constructor(config: QueryConfig, settings: TransactionSettings, scope: Scope) {
    super({ ...config, queryMode: 'extended' });
    this.#settings = settings;
    this.#scope = scope;
  }

  override submit(connection: Connection): Error | null {
    const { stream } = connection;
    stream.cork();
    if (stream.writable) stream.write(Buffer.concat(this.#settings.messages(this.#scope, true).before));
    const error = super.submit(connection);
    stream.uncork();
    return error;
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    // The first message is for the statement of the settings.
    if (this.#hasSettings) super.handleCommandComplete(message, connection);
    this.#hasSettings = true;
  }
}
