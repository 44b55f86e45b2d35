import type { Connection, Submittable } from 'pg';
import { serialize } from 'pg-protocol';
import type { HotStatement, TextRow } from '../hot/hot-statement.js';
import type { Scope } from '../scope.js';
import type { TransactionSettings } from './transaction-settings.js';

const execute = serialize.execute();
const sync = serialize.sync();

/** Statements that were prepared on a connection. */
const prepared = new WeakMap<Connection, Set<string>>();

/**
 * A hot statement in a transaction of its own, sent in one write with the settings of the transaction. It is not described:
 * its columns are known and all of them are text.
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
    // The driver reports the loss of a connection to its queries.
    if (!stream.writable) return;
    const { name, text } = this.#statement;
    const messages = this.#settings.messages(this.#scope);
    if (!isPrepared(connection, name)) messages.push(serialize.parse({ name, text, types: [] }));
    messages.push(serialize.bind({ statement: name, values: this.#values }), execute, sync);
    stream.write(Buffer.concat(messages));
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

/** Whether a statement is prepared, which it is from now on: a connection on which a statement fails is closed. */
function isPrepared(connection: Connection, name: string): boolean {
  let names = prepared.get(connection);
  if (names === undefined) {
    names = new Set();
    prepared.set(connection, names);
  }
  const isKnown = names.has(name);
  names.add(name);
  return isKnown;
}
