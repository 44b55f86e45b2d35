import type { Connection, Submittable } from 'pg';
import { serialize } from 'pg-protocol';
import type { HotStatement, TextRow } from '../hot/hot-statement.js';
import type { Scope } from '../scope.js';
import type { TransactionSettings } from './transaction-settings.js';

const execute = serialize.execute();
const sync = serialize.sync();

/** Names of the prepared statements by connection. */
const prepared = new WeakMap<Connection, Set<string>>();

/**
 * A hot statement, and the one that follows it, in a transaction of their own, sent in one write with the settings of the transaction. There is no Describe
 * message, because all columns are text.
 */
export class HotQuery implements Submittable {
  /** Set by the pool. */
  declare callback: (error: Error | null, rows?: TextRow[]) => void;
  readonly #statement: HotStatement;
  readonly #values: string[];
  readonly #settings: TransactionSettings;
  readonly #scope: Scope;
  readonly #rows: TextRow[] = [];

  constructor(
    statement: HotStatement,
    values: readonly string[],
    { settings, scope }: { settings: TransactionSettings; scope: Scope },
  ) {
    this.#statement = statement;
    this.#values = [...values];
    this.#settings = settings;
    this.#scope = scope;
  }

  submit(connection: Connection): void {
    const { stream } = connection;
    // The driver reports a lost connection to its queries.
    if (!stream.writable) return;
    const { isOnCoordinator = false, followedBy } = this.#statement;
    const { before, after } = this.#settings.messages(this.#scope, isOnCoordinator);
    const run = messages(connection, this.#statement, this.#values);
    if (followedBy !== undefined) run.push(...messages(connection, followedBy, this.#values.slice(0, 1)));
    stream.write(Buffer.concat([...before, ...run, ...after, sync]));
  }

  handleDataRow({ fields }: { fields: TextRow }): void {
    this.#rows.push(fields);
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#rows);
  }

  handleCommandComplete(): void {}
}

/** Messages that run a statement, and prepare it when the connection has not prepared it. */
function messages(connection: Connection, { name, text }: HotStatement, values: string[]): Buffer[] {
  const parse = markPrepared(connection, name) ? [serialize.parse({ name, text, types: [] })] : [];
  return [...parse, serialize.bind({ statement: name, values }), execute];
}

/**
 * Marks a statement as prepared. If preparing it fails, the connection is closed.
 *
 * @returns whether it was not prepared before
 */
function markPrepared(connection: Connection, name: string): boolean {
  let names = prepared.get(connection);
  if (names === undefined) {
    names = new Set();
    prepared.set(connection, names);
  }
  if (names.has(name)) return false;
  names.add(name);
  return true;
}
