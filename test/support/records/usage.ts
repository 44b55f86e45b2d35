import type { Database } from '../../../src/platform/database/client.js';
import { randomId } from '../../../src/platform/database/ids.js';
import type { Tenant } from './tenant.js';

/** Calls that are stored for one hour and operation. */
export interface StoredCalls {
  readonly hour: Date;
  readonly operation?: string;
  readonly userId?: string;
  readonly calls: number;
  readonly errors?: number;
  readonly rateLimited?: number;
}

type Owner = Pick<Tenant, 'accountId'> & { readonly application: { readonly id: string } };

/** Stores usage as the service does after ten seconds. */
export async function storeCalls(
  { prisma }: Pick<Database, 'prisma'>,
  { accountId, application }: Owner,
  rows: readonly StoredCalls[],
): Promise<void> {
  await prisma.apiUsage.createMany({
    data: rows.map(
      ({ hour, operation = 'listEmployees', userId = '', calls, errors = 0, rateLimited = 0 }) => ({
        accountId,
        applicationId: application.id,
        hour,
        operation,
        userId,
        calls,
        errors,
        rateLimited,
        records: 0,
      }),
    ),
  });
}

/** Stores a rejected request. */
export async function storeRejection(
  { prisma }: Pick<Database, 'prisma'>,
  { accountId, application }: Owner,
  {
    at,
    requestId = randomId(),
    code = 'invalid_request',
    status = 400,
    operation = 'listEmployees',
  }: { at: Date; requestId?: string; code?: string | null; status?: number; operation?: string },
): Promise<string> {
  await prisma.rejectedRequest.create({
    data: {
      accountId,
      applicationId: application.id,
      createdAt: at,
      id: randomId(),
      requestId,
      operation,
      status,
      code,
    },
  });
  return requestId;
}
