import path from 'node:path';
import type pg from 'pg';
import type { Database, PostgresqlServer } from '../kit/database/postgresql.js';
import * as own from '../kit/database/tenants.js';
import { packageRoot } from '../kit/paths.js';

/** The databases of the scenarios: accounts, and employees of each account. */
export const sizes = {
  tenants: { tenants: 100, employees: 1_000 },
  custom: { tenants: 100, employees: 1_000, customAttributes: 10 },
  wide: { tenants: 1_000, employees: 1_000 },
  accounts_10: { tenants: 10, employees: 10 },
  accounts_1000: { tenants: 1_000, employees: 10 },
  accounts_100000: { tenants: 100_000, employees: 10 },
  million: { tenants: 1, employees: 1_000_000 },
  webhooks: { tenants: 1_000, employees: 100 },
  filters: { tenants: 1, employees: 1_000_000, complete: true },
  filters_small: { tenants: 1, employees: 10_000, complete: true },
} satisfies Record<string, own.TenantSize>;

export type DatabaseKind = keyof typeof sizes;

/** Returns databases; each is created when it is first requested. @param root of another checkout with a schema of its own */
export function databases(server: PostgresqlServer, progress: (text: string) => void) {
  const created = new Map<string, Promise<Database>>();
  return (kind: DatabaseKind, root = packageRoot): Promise<Database> => {
    const key = `${root} ${kind}`;
    const database = created.get(key) ?? create(kind, root);
    created.set(key, database);
    return database;
  };

  async function create(kind: DatabaseKind, root: string): Promise<Database> {
    const { tenants, employees } = sizes[kind];
    const { fillTenants } = await tenantData(root);
    const fill = async (client: pg.Client) => {
      const startedAt = performance.now();
      await fillTenants(sizes[kind])(client);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      progress(`a database with ${tenants} × ${employees} employees, filled in ${seconds} s`);
    };
    return server.database(kind, fill, root);
  }
}

/** The code of a checkout that adds data to databases of its schema. */
export function tenantData(root: string): Promise<Pick<typeof own, 'fillTenants' | 'addGrants'>> {
  if (root === packageRoot) return Promise.resolve(own);
  return import(path.join(root, 'scripts', 'lab', 'kit', 'database', 'tenants.ts'));
}
