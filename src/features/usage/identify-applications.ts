import type { Database } from '../../platform/database/client.js';
import { allAccounts, withScope } from '../../platform/database/scope.js';

/** The application of a call. Only `clientId` is set when a valid token was rejected before its application was read. */
export interface CallingApplication {
  readonly accountId?: string | undefined;
  readonly applicationId?: string | undefined;
  readonly clientId?: string | undefined;
}

/** A finished request to an operation of the contract. */
export interface ApiCall extends CallingApplication {
  readonly userId: string | null;
  readonly operation: string;
  /** Absent when the client disconnected before the response. */
  readonly status: number | undefined;
  /** Employees, reports, report rows or users in the response. */
  readonly records: number;
  readonly requestId: string;
  /** Code of the problem document in the response. */
  readonly code: string | null;
}

/** Key of an application in memory. Ids of applications contain no space. */
export function applicationKey({ applicationId, clientId }: CallingApplication): string {
  return applicationId ?? `client ${clientId}`;
}

/** A call with its application. */
export type Identified<Call extends CallingApplication> = Call & {
  readonly accountId: string;
  readonly applicationId: string;
};

/**
 * Finds the applications of calls that have only a client id, because they were rejected before the application was read.
 * It uses one query. Calls of deleted applications are omitted.
 */
export async function identifyApplications<Call extends CallingApplication>(
  database: Database,
  calls: readonly Call[],
): Promise<Identified<Call>[]> {
  const clientIds = new Set(calls.flatMap((call) => (isIdentified(call) ? [] : (call.clientId ?? []))));
  // In the scope of all accounts, because the accounts are not known yet.
  const applications =
    clientIds.size === 0
      ? []
      : await withScope(allAccounts, () =>
          database.prisma.application.findMany({
            where: { clientId: { in: [...clientIds] } },
            select: { clientId: true, id: true, accountId: true },
          }),
        );
  const found = new Map(
    applications.map(({ clientId, id, accountId }) => [clientId, { applicationId: id, accountId }]),
  );
  return calls.flatMap((call) => {
    if (isIdentified(call)) return call;
    const application = found.get(call.clientId ?? '');
    return application === undefined ? [] : { ...call, ...application };
  });
}

function isIdentified<Call extends CallingApplication>(call: Call): call is Identified<Call> {
  return call.applicationId !== undefined && call.accountId !== undefined;
}
