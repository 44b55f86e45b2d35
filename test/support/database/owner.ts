import type { Database } from '../../../src/platform/database/client.js';
import { patienceMs } from '../patience.js';

/**
 * Runs a statement without the privileges of the service, as the session user. If this user is a superuser, the service sets
 * a role that owns no tables.
 */
export function asOwner<Row = unknown>(
  { prisma, isDistributed }: Pick<Database, 'prisma' | 'isDistributed'>,
  text: string,
  ...values: unknown[]
): Promise<Row[]> {
  return prisma.$transaction(
    async (tx) => {
      await tx.$executeRawUnsafe('SET LOCAL ROLE NONE');
      // Citus rejects triggers that it does not know to be safe.
      if (isDistributed()) await tx.$executeRawUnsafe('SET LOCAL citus.enable_unsafe_triggers = on');
      return tx.$queryRawUnsafe<Row[]>(text, ...values);
    },
    { maxWait: patienceMs, timeout: patienceMs },
  );
}
