import type { Database, PostgresqlServer } from '../kit/database/postgresql.js';
import { fillTenants } from '../kit/database/tenants.js';

/** The databases of the scenarios: accounts, and employees of each account. */
export const sizes = {
  tenants: { tenants: 100, employees: 1_000 },
  wide: { tenants: 1_000, employees: 1_000 },
  million: { tenants: 1, employees: 1_000_000 },
  webhooks: { tenants: 1_000, employees: 100 },
};

export type DatabaseKind = keyof typeof sizes;

/** Returns databases; each is created when it is first requested. */
export function databases(server: PostgresqlServer, progress: (text: string) => void) {
  const created = new Map<DatabaseKind, Promise<Database>>();
  return (kind: DatabaseKind): Promise<Database> => {
    const database = created.get(kind) ?? create(kind);
    created.set(kind, database);
    return database;
  };

  function create(kind: DatabaseKind): Promise<Database> {
    const { tenants, employees } = sizes[kind];
    return server.database(kind, async (client) => {
      const startedAt = performance.now();
      await fillTenants(sizes[kind])(client);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      progress(`a database with ${tenants} × ${employees} employees, filled in ${seconds} s`);
    });
  }
}
