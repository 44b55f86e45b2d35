import { UsageReader } from '../../../src/features/usage/usage-reader.js';
import type { Database } from '../../../src/platform/database/client.js';
import { randomId } from '../../../src/platform/database/ids.js';
import type { TestApp } from '../server/app.js';
import { sendJson } from './send-json.js';
import { createApplication, createTenant, makeEmployees, type Tenant } from './tenant.js';

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
    failedAuthentication = false,
  }: {
    at: Date;
    requestId?: string;
    code?: string | null;
    status?: number;
    operation?: string;
    failedAuthentication?: boolean;
  },
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
      failedAuthentication,
    },
  });
  return requestId;
}

export type Caller = Pick<Tenant, 'accountId' | 'application'>;

/** A range with every call. */
export const ever = { from: new Date('2000-01-01'), to: new Date('2100-01-01') };

/** Applications that call the API, and what is stored about their calls. */
export function usageOfCallers(api: TestApp) {
  const reader = new UsageReader(api.database);

  /** Everything that is stored about an application, as `[calls, errors, rateLimited, records]` of each operation. */
  async function usageOf({ accountId, application }: Caller, from = api) {
    await from.usage.flush();
    const rows = await reader.usageByOperationOf(accountId, application.id, ever);
    return Object.fromEntries(
      rows.map(({ operation, calls, errors, rateLimited, records }) => [
        operation,
        [calls, errors, rateLimited, records],
      ]),
    );
  }

  async function createCaller(
    { employees = 0, scopes }: { employees?: number; scopes?: readonly string[] } = {},
    from = api,
  ) {
    const tenant = await createTenant(api.database, { employees: makeEmployees(employees) });
    const application =
      scopes === undefined
        ? tenant.application
        : await createApplication(api.database, tenant.accountId, { scopes });
    const token = await from.token(application);
    const send = (method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) =>
      sendJson(from, { method, url, token, body });
    return { ...tenant, application, token, send };
  }

  return { reader, usageOf, createCaller };
}
