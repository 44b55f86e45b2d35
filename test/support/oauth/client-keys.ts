import type { JWK } from 'jose';
import type { Database, Prisma } from '../../../src/platform/database/client.js';
import type { TestApplication } from '../records/tenant.js';

/** Makes an application authenticate with these public keys instead of its secret. */
export async function useKeys(
  { prisma }: Pick<Database, 'prisma'>,
  { id }: Pick<TestApplication, 'id'>,
  keys: readonly JWK[],
): Promise<void> {
  await prisma.applicationSecret.deleteMany({ where: { applicationId: id } });
  const data = { jwks: { keys } as unknown as Prisma.InputJsonObject };
  await prisma.application.updateMany({ where: { id }, data });
}
