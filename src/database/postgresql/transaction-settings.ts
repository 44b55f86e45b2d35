import type { ClientBase } from 'pg';
import { serialize } from 'pg-protocol/dist/index';
import type { Scope } from '../scope.js';

/** Settings of PostgreSQL by name, such as `statement_timeout`. */
export type Settings = Readonly<Record<string, string>>;

const name = 'transaction_settings';
const execute = serialize.execute();

/**
 * The statement that sets the tenant scope, the role and the settings at the start of every transaction of a pool. They are
 * local to the transaction, because a transaction pooler does not preserve the state of a session.
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
    // A concatenation, because PostgreSQL evaluates all of its operands. A row comparison could stop at the first one.
    this.text = `SELECT WHERE set_config('app.accounts', $1, true) || set_config('role', $2, true)${fixed.join('')} IS NULL`;
  }

  /** Prepares the statement on a new connection. */
  async prepare(client: ClientBase): Promise<void> {
    await client.query({ name, text: this.text, values: ['', 'none'] });
  }

  /**
   * Starts a transaction and applies the settings.
   *
   * @param statement `BEGIN` statement
   * @returns id of the server process
   */
  async begin(client: ClientBase, scope: Scope, statement: string): Promise<number> {
    await client.query(statement);
    await client.query({ name, text: this.text, values: [scope, this.role] });
    const { rows } = await client.query<{ id: number }>('SELECT pg_backend_pid() AS id');
    return Number(rows[0]?.id);
  }

  /**
   * Returns the protocol messages that run the prepared statement. Statements that are sent before the next `sync` belong to
   * the same transaction.
   */
  messages(scope: Scope): Buffer[] {
    return [serialize.bind({ statement: name, values: [scope, this.role] }), execute];
  }
}
