import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Connection, Submittable } from 'pg';
// Not from 'pg-protocol': the loader of tests reads that entry point as CommonJS, without named exports.
import { serialize } from 'pg-protocol/dist/index';
import type { PreparedStatement } from '../client.js';
import type { TenantScope } from '../scope.js';
import type { TransactionSettings } from './transaction-settings.js';

const defaultMaxNames = 500;
const maxTextLength = 8_000;

/** Uses after which a text gets a name. */
const minUses = 3;

/** Maximum number of unnamed texts whose uses are counted. */
const maxCountedTexts = 1_000;

/**
 * Creates a function that names SQL texts. The server parses and plans a named text once for each connection, and an unnamed
 * one (`''`) for each use.
 *
 * The number of names is bounded, because the driver and the server keep a named statement until the connection closes. The
 * requests of clients vary the text: the filters and sort keys of a list, the words of a search. So a text gets a name at
 * its third use, when it is still among the thousand unnamed texts that were used last. Texts that are used once or twice
 * take no name.
 *
 * @param maxNames maximum number of names; further texts stay unnamed
 */
export function createStatementNames(
  maxNames = defaultMaxNames,
): (statement: { readonly sql: string }) => string {
  const names = new Map<string, string>();
  const uses = new LRUCache<string, number>({ max: maxCountedTexts });
  return ({ sql }) => {
    // Its value is part of the text.
    if (sql.startsWith('SET LOCAL ')) return '';
    const name = names.get(sql);
    if (name !== undefined) return name;
    if (names.size >= maxNames || sql.length > maxTextLength) return '';
    const count = (uses.get(sql) ?? 0) + 1;
    if (count < minUses) {
      uses.set(sql, count);
      return '';
    }
    uses.delete(sql);
    const newName = `s_${createHash('sha256').update(sql).digest('base64url').slice(0, 22)}`;
    names.set(sql, newName);
    return newName;
  };
}

const execute = serialize.execute();
const sync = serialize.sync();

/** Names of the prepared statements by connection. */
const prepared = new WeakMap<Connection, Set<string>>();

/** Columns of the prepared statements by name. A statement is described only when a connection prepares it. */
const columnsOf = new Map<string, readonly string[]>();

/**
 * A prepared statement, and the one that follows it, in a transaction of their own, sent in one write with the settings of the
 * transaction.
 */
export class PreparedQuery implements Submittable {
  /** Set by the pool. */
  declare callback: (error: Error | null, rows?: object[]) => void;
  readonly #statement: PreparedStatement;
  readonly #values: string[];
  readonly #settings: TransactionSettings;
  readonly #scope: TenantScope;
  #rows: object[] = [];

  constructor(
    statement: PreparedStatement,
    values: readonly string[],
    { settings, scope }: { settings: TransactionSettings; scope: TenantScope },
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

  handleRowDescription({ fields }: { fields: readonly { readonly name: string }[] }): void {
    columnsOf.set(
      this.#statement.name,
      fields.map(({ name }) => name),
    );
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const row: Record<string, string | null> = {};
    columnsOf.get(this.#statement.name)?.forEach((column, index) => {
      row[column] = fields[index] ?? null;
    });
    this.#rows.push(row);
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    const rows = this.#rows;
    // The driver's callback references this object until the next full garbage collection.
    this.#rows = [];
    this.callback(null, rows);
  }

  handleCommandComplete(): void {}
}

/** Messages that run a statement, and prepare it when the connection has not prepared it. */
function messages(connection: Connection, { name, text }: PreparedStatement, values: string[]): Buffer[] {
  const prepare = markPrepared(connection, name)
    ? [serialize.parse({ name, text, types: [] }), serialize.describe({ type: 'S', name })]
    : [];
  return [...prepare, serialize.bind({ statement: name, values }), execute];
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
