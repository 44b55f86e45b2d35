import type { Writable } from 'node:stream';
import type { Connection } from 'pg';
import { prepareValue } from 'pg/lib/utils';
import { serialize } from 'pg-protocol';
import type { TextRow } from '../client.js';
import { noAccount, type Scope } from '../scope.js';
import type { Answered } from './ready-pool.js';
import { scopeMessages } from './scope-statement.js';

/** What the driver keeps on a connection, beyond what its types tell. */
interface PreparingConnection {
  readonly stream: Writable;
  readonly parsedStatements: Readonly<Record<string, string>>;
}

const execute = serialize.execute();
const sync = serialize.sync();

/**
 * A prepared statement that is run without being described: whoever wrote it knows its columns. That spares the
 * driver a third of its work for each round trip.
 */
export class PreparedQuery implements Answered<TextRow[]> {
  /** The driver notes under this name that the statement is prepared. */
  readonly name: string;
  readonly text: string;
  /** Set by whoever runs it. */
  declare callback: (error: Error | null, rows?: TextRow[]) => void;
  readonly #values: readonly unknown[];
  readonly #scope: Scope;
  readonly #rows: TextRow[] = [];

  constructor({
    name,
    text,
    values,
    scope,
  }: { name: string; text: string; values: readonly unknown[]; scope: Scope }) {
    this.name = name;
    this.text = text;
    this.#values = values;
    this.#scope = scope;
  }

  submit(driverConnection: Connection): void {
    const { stream, parsedStatements } = driverConnection as unknown as PreparingConnection;
    const { name, text } = this;
    const messages: Buffer[] = this.#scope === noAccount ? [] : scopeMessages(this.#scope);
    if (parsedStatements[name] === undefined) messages.push(serialize.parse({ name, text, types: [] }));
    messages.push(
      serialize.bind({ statement: name, values: this.#values as unknown[], valueMapper: prepareValue }),
      execute,
      sync,
    );
    // The loss of a connection is told to its queries by the driver.
    if (stream.writable) stream.write(Buffer.concat(messages));
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
