import { fillTenants } from '../database/tenants.mjs';

/** What the databases hold that works are done on: accounts, and employees of each. */
export const sizes = {
  tenants: { tenants: 100, employees: 1_000 },
  wide: { tenants: 1_000, employees: 1_000 },
  million: { tenants: 1, employees: 1_000_000 },
};

/**
 * Hands out databases, each made when it is first asked for.
 *
 * @param {object} server see `database/server.mjs`
 * @param {(text: string) => void} progress
 */
export function databases(server, progress) {
  const made = new Map();
  return (kind) => {
    if (!made.has(kind)) {
      made.set(kind, server.database(kind, timed(sizes[kind], progress)));
    }
    return made.get(kind);
  };
}

function timed(size, progress) {
  const fill = fillTenants(size);
  return async (client) => {
    const begin = performance.now();
    await fill(client);
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    progress(`a database with ${size.tenants} × ${size.employees} employees, filled in ${seconds} s`);
  };
}
