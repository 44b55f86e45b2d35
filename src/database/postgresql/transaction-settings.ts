import type { ClientBase } from 'pg';
import { serialize } from 'pg-protocol';
import type { Scope } from '../scope.js';

/** Settings of PostgreSQL by name, such as `statement_timeout`. */
export type Settings = Readonly<Record<string, string>>;

const name = 'transaction_settings';
const execute = serialize.execute();

/**
 * What every transaction on the connections of a pool begins with: its tenant scope, its role and its settings. All of
 * them end with the transaction, so that connections can be shared through a transaction pooler, which keeps no state of
 * a session.
 */
export class TransactionSettings {
  /** Statement with the parameters scope and role. It returns no row. */
  readonly text: string;
  /** Role of the statements that follow; `none` is the user of the connection. */
  role = 'none';

  constructor(settings: Settings) {
    const fixed = Object.entries(settings).map(
      ([key, value]) => ` || set_config('${key}', '${value}', true)`,
    );
    // A row comparison would stop at the first value, and leave the other settings unset.
    this.text = `SELECT WHERE set_config('app.accounts', $1, true) || set_config('role', $2, true)${fixed.join('')} IS NULL`;
  }

  /** Prepares the statement on a new connection. */
  async prepare(client: ClientBase): Promise<void> {
    await client.query({ name, text: this.text, values: ['', 'none'] });
  }

  /**
   * Begins a transaction.
   *
   * @param statement that begins it
   * @returns the id of the server process that runs it
   */
  async begin(client: ClientBase, scope: Scope, statement: string): Promise<number> {
    await client.query(statement);
    await client.query({ name, text: this.text, values: [scope, this.role] });
    const { rows } = await client.query<{ id: number }>('SELECT pg_backend_pid() AS id');
    return Number(rows[0]?.id);
  }

  /**
   * The messages that run the statement on a connection on which it is prepared. What is sent before the next `sync` is the
   * same transaction.
   */
  messages(scope: Scope): Buffer[] {
    return [serialize.bind({ statement: name, values: [scope, this.role] }), execute];
  }
}
