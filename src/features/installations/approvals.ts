import type { Client } from '../../oauth/clients/client-registry.js';
import { redirectHosts } from '../../oauth/clients/installations.js';
import { isForDevelopment } from '../../oauth/clients/redirect-uris.js';
import type { AccountId } from '../../platform/accounts/account-id.js';
import { administratorRoles, type Role, userName } from '../../platform/accounts/user.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import { change, type Unit } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { inContractOrder } from '../../platform/contract/employee-attributes.js';
import type { Database } from '../../platform/database/client.js';
import { randomId } from '../../platform/database/ids.js';

/** What an administrator selects when approving an application. */
export interface Selection {
  /** Some of the scopes of the client, at least one. */
  readonly scopes: readonly string[];
  /** The attributes of employees that it may read. `undefined`: those that are stored, and none in a new installation. */
  readonly readableAttributes: readonly string[] | undefined;
}

/** Who can bring applications of other accounts into an account. What is approved already stays approved. */
export const applicationPolicies = ['requests', 'administrators', 'none'] as const;

export type ApplicationPolicy = (typeof applicationPolicies)[number];

/** Whether a user with this role may approve applications. */
export function mayApprove(role: Role): boolean {
  return administratorRoles.includes(role);
}

/** Users who asked for the approval of one application. */
export interface ApprovalRequests {
  readonly clientId: string;
  readonly users: readonly RequestingUser[];
}

interface RequestingUser {
  readonly name: string;
  readonly email: string;
  /** The scopes of the authorization request. */
  readonly scopes: readonly string[];
  readonly requestedAt: Date;
}

type ApprovalOutcome =
  | { readonly kind: 'approved'; readonly applicationId: string; readonly requesters: readonly string[] }
  /** The role or the policy of the account does not permit it, or the application was withdrawn. */
  | { readonly kind: 'forbidden' };

type RequestOutcome =
  /** `isFirst`: no other user of the account has an open request for the application. */
  | { readonly kind: 'requested'; readonly isFirst: boolean }
  | { readonly kind: 'repeated' | 'declined' | 'forbidden' };

/** The decisions of an account on applications that it has not registered. Each is one transaction together with its audit event. */
export class Approvals {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Pick<Database, 'prisma'>) {
    this.#prisma = prisma;
  }

  async policy(accountId: AccountId): Promise<ApplicationPolicy> {
    const account = await this.#prisma.account.findUniqueOrThrow({ where: { id: accountId } });
    return account.applicationPolicy as ApplicationPolicy;
  }

  /** Changes the policy. Under another policy than `requests`, open requests of users are deleted. */
  setPolicy(context: UserAuditContext, policy: ApplicationPolicy): Promise<'changed' | 'unchanged'> {
    const { accountId } = context;
    return change(this.#prisma, context, lock.account, async (unit) => {
      const { tx } = unit;
      const { applicationPolicy: from } = await tx.account.findUniqueOrThrow({ where: { id: accountId } });
      if (from === policy) return 'unchanged';
      await tx.account.update({ where: { id: accountId }, data: { applicationPolicy: policy } });
      if (policy !== 'requests') await tx.approvalRequest.deleteMany({ where: { accountId } });
      await unit.record('account.application_policy_changed', { from, to: policy });
      return 'changed';
    });
  }

  /**
   * Approves an application as it is now, for the first time or again after it has changed. Its installation has the scopes that
   * are approved, and no others. All requests for it are deleted.
   *
   * @returns `requesters`: the e-mail addresses of the enabled users who asked for it
   */
  approve(
    context: UserAuditContext,
    { client, scopes, readableAttributes: attributes }: Selection & { readonly client: Client },
  ): Promise<ApprovalOutcome> {
    const { accountId, userId, at } = context;
    const { clientId, clientType, name, redirectUris } = client;
    return change(this.#prisma, context, lock.role, async (unit, role) => {
      const { tx } = unit;
      if (!(await isPermitted(unit, role, ['requests', 'administrators']))) return { kind: 'forbidden' };
      if (!(await isShared(unit, clientId))) return { kind: 'forbidden' };
      const where = { accountId_installedClientId: { accountId, installedClientId: clientId } };
      const approved = {
        name,
        redirectUris: [...redirectUris],
        scopes: [...scopes],
        ...(attributes !== undefined && { readableAttributes: inContractOrder(attributes) }),
        requestedScopes: [...client.scopes],
        inDevelopment: redirectUris.every(isForDevelopment),
        suspendedAt: null,
        updatedAt: at,
      };
      const { id: applicationId, readableAttributes } = await tx.application.upsert({
        where,
        create: {
          id: randomId(),
          accountId,
          clientId: randomId(),
          installedClientId: clientId,
          clientType,
          createdById: userId,
          createdAt: at,
          ...approved,
        },
        update: approved,
        select: { id: true, readableAttributes: true },
      });
      const requests = await tx.approvalRequest.findMany({
        where: { accountId, clientId, userId: { not: userId }, user: { disabledAt: null } },
        select: { user: { select: { email: true } } },
      });
      await tx.approvalRequest.deleteMany({ where: { accountId, clientId } });
      const details = {
        name,
        client_id: clientId,
        scopes,
        readable_attributes: readableAttributes,
        redirect_hosts: redirectHosts(redirectUris),
      };
      await unit.record('application.approved', details, { applicationId });
      return { kind: 'approved', applicationId, requesters: requests.map(({ user }) => user.email) };
    });
  }

  /** Stores the request of a user that administrators approve an application. A declined request is not stored again. */
  request(
    context: UserAuditContext,
    { client, scopes }: { client: Client; scopes: readonly string[] },
  ): Promise<RequestOutcome> {
    const { accountId, userId, at } = context;
    const { clientId, name } = client;
    return change(this.#prisma, context, lock.role, async (unit, role) => {
      const { tx } = unit;
      if (!(await isPermitted(unit, role, ['requests'], { asMember: true }))) return { kind: 'forbidden' };
      if (!(await isShared(unit, clientId))) return { kind: 'forbidden' };
      const stored = await tx.approvalRequest.findUnique({
        where: { accountId_clientId_userId: { accountId, clientId, userId } },
      });
      if (stored !== null) return { kind: stored.declinedAt === null ? 'repeated' : 'declined' };
      const open = await tx.approvalRequest.count({ where: { accountId, clientId, declinedAt: null } });
      await tx.approvalRequest.create({
        data: { accountId, clientId, userId, scopes: [...scopes], createdAt: at },
      });
      await unit.record('application.approval_requested', { name, client_id: clientId, scopes });
      return { kind: 'requested', isFirst: open === 0 };
    });
  }

  /** Declines the open requests of all users for an application. They cannot ask again until it is approved. */
  decline(
    context: UserAuditContext,
    clientId: string,
  ): Promise<
    { readonly kind: 'declined'; readonly requesters: readonly string[] } | { readonly kind: 'not_found' }
  > {
    const { accountId, at } = context;
    return change(this.#prisma, context, lock.role, async (unit, role) => {
      const { tx } = unit;
      if (role === null || !mayApprove(role)) return { kind: 'not_found' };
      const where = { accountId, clientId, declinedAt: null };
      const open = await tx.approvalRequest.findMany({
        where,
        select: { user: { select: { email: true, disabledAt: true } } },
      });
      const { count } = await tx.approvalRequest.updateMany({ where, data: { declinedAt: at } });
      if (count === 0) return { kind: 'not_found' };
      await unit.record('application.approval_declined', { client_id: clientId });
      const enabled = open.filter(({ user }) => user.disabledAt === null);
      return { kind: 'declined', requesters: enabled.map(({ user }) => user.email) };
    });
  }

  /** The request of a user for an application; `null` when there is none. */
  async requestOf(
    { accountId, userId }: Pick<UserAuditContext, 'accountId' | 'userId'>,
    clientId: string,
  ): Promise<{ readonly requestedAt: Date; readonly isDeclined: boolean } | null> {
    const where = { accountId_clientId_userId: { accountId, clientId, userId } };
    const stored = await this.#prisma.approvalRequest.findUnique({ where });
    return stored && { requestedAt: stored.createdAt, isDeclined: stored.declinedAt !== null };
  }

  /** The scopes in the open requests of an account for one application; `null` when there are none. */
  async requestedScopes(accountId: AccountId, clientId: string): Promise<string[] | null> {
    const where = { accountId, clientId, declinedAt: null };
    const open = await this.#prisma.approvalRequest.findMany({ where, select: { scopes: true } });
    return open.length === 0 ? null : [...new Set(open.flatMap(({ scopes }) => scopes))];
  }

  /** The open requests of enabled users of an account, the oldest first, by application. */
  async openRequests(accountId: AccountId, maximum: number): Promise<ApprovalRequests[]> {
    const rows = await this.#prisma.approvalRequest.findMany({
      where: { accountId, declinedAt: null, user: { disabledAt: null } },
      include: { user: { select: { givenName: true, familyName: true, email: true } } },
      orderBy: [{ createdAt: 'asc' }, { userId: 'asc' }],
      take: maximum,
    });
    const byClient = new Map<string, RequestingUser[]>();
    for (const { clientId, user, scopes, createdAt } of rows) {
      const users = byClient.get(clientId) ?? [];
      const name = userName(user).trim();
      users.push({ name, email: user.email, scopes, requestedAt: createdAt });
      byClient.set(clientId, users);
    }
    return [...byClient].map(([clientId, users]) => ({ clientId, users }));
  }
}

/** Whether a user with this role may do something under the policies, which are read in the same transaction. */
async function isPermitted(
  { tx, context: { accountId } }: Unit<UserAuditContext>,
  role: Role | null,
  policies: readonly ApplicationPolicy[],
  { asMember = false } = {},
): Promise<boolean> {
  if (role === null || (!asMember && !mayApprove(role))) return false;
  const [account] = await tx.$queryRaw<{ policy: ApplicationPolicy }[]>`
    SELECT application_policy AS policy FROM accounts WHERE id = ${accountId} FOR SHARE`;
  return account !== undefined && policies.includes(account.policy);
}

/** Whether accounts can still use an application. It cannot be withdrawn until the transaction ends. */
async function isShared({ tx }: Unit, clientId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM shared_applications WHERE client_id = ${clientId} FOR KEY SHARE`;
  return rows.length > 0;
}
