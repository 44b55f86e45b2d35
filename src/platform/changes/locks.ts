import type { AccountId } from '../accounts/account-id.js';
import type { Role } from '../accounts/user.js';
import type { Actor, AuditContext } from '../audit/audit-log.js';
import type { Prisma } from '../database/client.js';

type Tx = Prisma.TransactionClient;
type OfAccount = Pick<AuditContext, 'accountId'>;
type OfUser = OfAccount & { readonly userId: string };
type OfApplication = OfAccount & { readonly applicationId: string };

/** A user whom a change affects. The row is locked by the transaction. */
export interface AffectedUser {
  readonly id: string;
  readonly email: string;
}

/** A user whose row is locked by the transaction. */
export interface LockedUser extends AffectedUser {
  readonly role: Role;
  readonly disabledAt: Date | null;
}

/** An application whose row is locked by the transaction. */
interface LockedApplication {
  readonly clientId: string;
  readonly isInstallation: boolean;
  readonly clientType: 'confidential' | 'public';
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly scopes: readonly string[];
  /** Of an installation: the scopes that can be approved. */
  readonly requestedScopes: readonly string[];
  readonly readableAttributes: readonly string[];
  readonly requireClientSecret: boolean;
  /** Whether it authenticates with keys, and has no secret. */
  readonly usesKeys: boolean;
  readonly requireProofOfPossession: boolean;
  readonly requirePushedRequests: boolean;
  readonly backchannelLogoutUri: string | null;
  readonly inDevelopment: boolean;
  readonly generation: number;
}

/**
 * Whether a user with this role may change users with another role, or give them this role. The pages of the user's own
 * account are separate: users do not change their own role or state.
 */
export function mayAdminister(actor: Role, target: Role): boolean {
  return actor === 'owner' || (actor === 'admin' && target !== 'owner');
}

/**
 * Locks an account until the transaction ends. A transaction that changes employees in more than one statement calls it
 * first: the triggers lock the counts after the employees of a statement, and two such transactions could deadlock. So does one
 * that deletes employees or sets managers, so that no employee gets a manager who is being deleted.
 *
 * @returns false if there is no such account
 */
export async function lockAccount(tx: Tx, accountId: AccountId): Promise<boolean> {
  const rows = await tx.$queryRaw<
    unknown[]
  >`SELECT 1 FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
  return rows.length === 1;
}

/** What a change locks first, in the lock order of `src/platform/database/README.md`. */
export const lock = {
  /** Nothing: the first statement of the change locks the row that it changes. */
  async nothing(): Promise<undefined> {
    return undefined;
  },

  /**
   * A user and the user who acts. The operator may change all users.
   *
   * Both are locked in the order of their ids, so that users who act on each other do not deadlock. The second one to get the
   * locks sees what the first one changed.
   *
   * @returns the user; `forbidden` when the acting user may not change this user
   */
  user:
    (id: string) =>
    async (
      tx: Tx,
      { accountId, userId: actorId, applicationId }: OfAccount & Actor,
    ): Promise<LockedUser | 'not_found' | 'forbidden'> => {
      // Not FOR UPDATE: a concurrent code exchange inserts a row that refers to the user, and would wait.
      const rows = await tx.$queryRaw<LockedUser[]>`
        SELECT id, email, role, disabled_at AS "disabledAt" FROM users
        WHERE account_id = ${accountId} AND id IN (${id}, ${actorId ?? id})
        ORDER BY id FOR NO KEY UPDATE`;
      const user = rows.find((row) => row.id === id);
      if (user === undefined) return 'not_found';
      if (actorId == null && applicationId == null) return user;
      const actor = rows.find((row) => row.id === actorId);
      const allowed =
        actor !== undefined &&
        actor !== user &&
        actor.disabledAt === null &&
        mayAdminister(actor.role, user.role);
      return allowed ? user : 'forbidden';
    },

  /** A user who acts, or who has proved to be the user. `null` when there is none or the user is disabled. */
  enabledUser:
    (id: string) =>
    async (tx: Tx, { accountId }: OfAccount): Promise<AffectedUser | null> => {
      const [row] = await tx.$queryRaw<AffectedUser[]>`
        SELECT id, email FROM users
        WHERE account_id = ${accountId} AND id = ${id} AND disabled_at IS NULL FOR NO KEY UPDATE`;
      return row ?? null;
    },

  /** The role of the user who acts. It does not change, but the user may. `null` when there is none or the user is disabled. */
  async role(tx: Tx, { accountId, userId }: OfUser): Promise<Role | null> {
    const [row] = await tx.$queryRaw<{ role: Role }[]>`
      SELECT role FROM users
      WHERE id = ${userId} AND account_id = ${accountId} AND disabled_at IS NULL FOR SHARE`;
    return row?.role ?? null;
  },

  /**
   * All users of the account, then the account, for an owner who changes how users sign in. Such changes run one after the other.
   * A sign-in or a consent of a user either commits before and is found, or waits.
   *
   * @returns the users; `null` when the user who acts is not an enabled owner
   */
  async owner(tx: Tx, { accountId, userId }: OfUser): Promise<LockedUser[] | null> {
    const users = await tx.$queryRaw<LockedUser[]>`
      SELECT id, email, role, disabled_at AS "disabledAt" FROM users
      WHERE account_id = ${accountId} ORDER BY id FOR NO KEY UPDATE`;
    const actor = users.find(({ id }) => id === userId);
    if (actor?.role !== 'owner' || actor.disabledAt !== null) return null;
    return (await lockAccount(tx, accountId)) ? users : null;
  },

  /** The account, see {@link lockAccount}. False if there is none. */
  account: (tx: Tx, { accountId }: OfAccount): Promise<boolean> => lockAccount(tx, accountId),

  /**
   * The application of the context. Concurrent changes of the application, its secrets, or several of its codes or grants wait.
   * `null` when the account has no such application.
   */
  async application(tx: Tx, { accountId, applicationId }: OfApplication): Promise<LockedApplication | null> {
    const [row] = await tx.$queryRaw<LockedApplication[]>`
      SELECT coalesce(installed_client_id, client_id) AS "clientId", installed_client_id IS NOT NULL AS "isInstallation",
        client_type AS "clientType", name, redirect_uris AS "redirectUris",
        post_logout_redirect_uris AS "postLogoutRedirectUris", scopes, requested_scopes AS "requestedScopes",
        readable_attributes AS "readableAttributes",
        require_client_secret AS "requireClientSecret",
        require_proof_of_possession AS "requireProofOfPossession",
        require_pushed_requests AS "requirePushedRequests",
        backchannel_logout_uri AS "backchannelLogoutUri", in_development AS "inDevelopment",
        jwks IS NOT NULL OR jwks_uri IS NOT NULL AS "usesKeys", token_generation AS generation
      FROM applications WHERE id = ${applicationId} AND account_id = ${accountId} FOR NO KEY UPDATE`;
    return row ?? null;
  },

  /** The application of the context against deletion. It may be changed. False when the account has no such application. */
  async existingApplication(tx: Tx, { accountId, applicationId }: OfApplication): Promise<boolean> {
    const rows = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM applications WHERE id = ${applicationId} AND account_id = ${accountId} FOR KEY SHARE`;
    return rows.length > 0;
  },
};
