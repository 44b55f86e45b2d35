import pg, { type ClientBase } from 'pg';
// Not from 'pg-protocol': the loader of tests reads that entry point as CommonJS, without named exports.
import { serialize } from 'pg-protocol/dist/index';
import type { TenantScope } from '../scope.js';

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
  /** Whether statements may run on workers of Citus. */
  isDistributed = false;

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
   */
  async begin(client: ClientBase, scope: TenantScope, statement: string): Promise<void> {
    await client.query(statement);
    await client.query({ name, text: this.text, values: [scope, this.role] });
    for (const text of this.workerSettings(scope)) await client.query(text);
  }

  /**
   * Returns the statements that set the scope on the workers of a distributed database. Citus sends only SET LOCAL statements
   * of a transaction block to workers.
   */
  workerSettings(scope: TenantScope): string[] {
    if (!this.isDistributed) return [];
    return [
      "SET LOCAL citus.propagate_set_commands = 'local'",
      `SET LOCAL app.accounts = ${pg.escapeLiteral(scope)}`,
    ];
  }

  /**
   * Returns the protocol messages before and after a statement in a transaction of its own. Statements that are sent before
   * the next `sync` belong to the same transaction. A statement that workers run is in a transaction block.
   *
   * @param isOnCoordinator whether no worker runs the statement
   */
  messages(
    scope: TenantScope,
    isOnCoordinator: boolean,
  ): { readonly before: Buffer[]; readonly after: Buffer[] } {
    const settings = [serialize.bind({ statement: name, values: [scope, this.role] }), execute];
    if (isOnCoordinator || !this.isDistributed) return { before: settings, after: [] };
    const workers = this.workerSettings(scope).flatMap(unnamed);
    return { before: [...unnamed('BEGIN'), ...settings, ...workers], after: unnamed('COMMIT') };
  }
}

function unnamed(text: string): Buffer[] {
  return [serialize.parse({ text }), serialize.bind(), execute];
}
