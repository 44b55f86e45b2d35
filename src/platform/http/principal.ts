import type { FastifyRequest } from 'fastify';
import type { AccountId } from '../accounts/account-id.js';
import type { AuditOrigin } from '../audit/audit-log.js';
import type { AttributeAccess } from '../contract/attribute-access.js';

/** The caller of the API: an application, on its own behalf or on behalf of a user. */
export interface Principal {
  /** The only account whose records the caller may access. */
  readonly accountId: AccountId;
  readonly applicationId: string;
  /** `null` for tokens of the client credentials grant. */
  readonly userId: string | null;
  /** Scopes of the token that the application is still configured with. */
  readonly scopes: ReadonlySet<string>;
  /** Attributes of employees that the application may read. */
  readonly access: AttributeAccess;
  /** Generation of the application when the request was authenticated. It changes when all its access is revoked. */
  readonly generation: number;
}

export function auditOrigin({ ip, id }: FastifyRequest): AuditOrigin {
  return { address: ip, requestId: id };
}

/** The caller, the origin and the time of a request, for audit events. */
export function callerContext({ caller, request }: { caller: Principal; request: FastifyRequest }, at: Date) {
  const { accountId, applicationId, userId } = caller;
  return { accountId, applicationId, userId, origin: auditOrigin(request), at };
}
