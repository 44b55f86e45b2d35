import type { Database } from '../../database/client.js';
import { allAccounts, withScope } from '../../database/scope.js';
import type { CallingApplication } from './api-call.js';

/** The same call, of an application that is known. */
export type Identified<Call extends CallingApplication> = Call & {
  readonly accountId: string;
  readonly applicationId: string;
};

/**
 * Finds the applications of calls of which only the client is known: calls that were rejected before the database was
 * asked about their token. One query finds all of them. Calls of applications that were deleted are omitted.
 */
export async function identifyApplications<Call extends CallingApplication>(
  database: Database,
  calls: readonly Call[],
): Promise<Identified<Call>[]> {
  const clientIds = new Set(calls.flatMap((call) => (isIdentified(call) ? [] : (call.clientId ?? []))));
  // The accounts of the calls are not known before.
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
