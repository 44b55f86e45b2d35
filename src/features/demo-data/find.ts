import type { Database } from '../../platform/database/client.js';
import { allAccounts, withScope } from '../../platform/database/scope.js';
import { demoBackend } from './accounts.js';

/** Whether the database has the application of the demo data whose credentials the documentation uses. */
export async function hasDemoApplication(database: Database): Promise<boolean> {
  const { clientId, accountId } = demoBackend;
  const found = await withScope(allAccounts, () =>
    database.prisma.application.findFirst({ where: { accountId, clientId }, select: { id: true } }),
  );
  return found !== null;
}
