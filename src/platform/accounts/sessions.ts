import { type AuditContext, type AuditEvent, type AuditOrigin, recordIn } from '../audit/audit-log.js';
import { change, type Unit } from '../changes/change.js';
import { lock } from '../changes/locks.js';
import { type Clock, secondsAfter, secondsBefore } from '../clock.js';
import { hashSecret, randomSecret } from '../crypto/keyring.js';
import { type Database, Prisma } from '../database/client.js';
import { randomId } from '../database/ids.js';
import { allAccounts, withScope } from '../database/scope.js';
import type { AccountId } from './account-id.js';
import { endSessions } from './end-sessions.js';
import { mustUseSingleSignOn, type SignInStage, signInStage, type User, userSelection } from './user.js';

/** The session was revoked, or the user disabled, while the request was processed. */
export class SessionEndedError extends Error {
  override readonly name = 'SessionEndedError';
}

/** A session expires after this time without use, and after the absolute time in any case. */
export const idleSeconds = 2 * 3600;
export const absoluteSeconds = 24 * 3600;

/** Length of the id by which applications know a session. */
const sidLength = 32;

/** Maximum number of sessions in a list. */
const maximumListed = 50;

/** Minimum time between two writes of the last use of a session. */
const touchSeconds = 60;

/** Time after which a user has to enter the password again before an action that needs it. */
export const reauthenticationSeconds = 600;

/** How a user proves the identity. */
export type AuthenticationMethod =
  | 'password'
  | 'passkey'
  | 'authenticator app'
  | 'recovery code'
  | 'single sign-on';

/** When and how the user of a session has proved the identity, and in which session. */
export interface Authentication {
  /** When the user last proved it; `null` when it was not stored. */
  readonly authenticatedAt: Date | null;
  /** Each once; empty when they were not stored. */
  readonly methods: readonly string[];
  /** The id by which applications know the session; `null` when it was not stored. */
  readonly sid: string | null;
}

/** A session that has not expired. */
export interface ActiveSession {
  readonly user: User;
  /** When the user last entered the password. */
  readonly authenticatedAt: Date;
  readonly stage: SignInStage;
  /** Whether the user signed in at the identity provider. */
  readonly singleSignOn: boolean;
}

/** A session in a list. */
export interface SessionSummary {
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly address: string | null;
  readonly userAgent: string | null;
  /** Whether it is the session of the request. */
  readonly current: boolean;
}

/** The browser in which the user signed in. */
interface SessionOrigin {
  readonly address: string;
  readonly userAgent: string | undefined;
}

/**
 * Sessions of signed-in browsers. They are stored on the server, so that they can be revoked. The browser has a random id,
 * and the database only the hash of the id. A session is looked up in all accounts, because its account is not known yet.
 */
export class Sessions {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Creates a session. Its id is always new, so that an attacker cannot fixate one in the browser.
   *
   * The user is locked, and the time of the last sign-in stored when the sign-in is complete. A concurrent transaction that
   * disables the user or changes the password either commits first or finds this session and revokes it.
   *
   * @param passwordHash the hash that the password was compared with; absent: not checked
   * @param event audit event, stored in the same transaction
   * @param secondFactor whether the user has proved a second factor already
   * @param complete whether no second factor is missing
   * @param issuer the identity provider at which the user signed in; absent: with a password or passkey
   * @param authenticatedAt when the user proved the identity; absent: now
   * @param method how; absent: with the password, or at the identity provider
   * @returns the id; `null` when the user is disabled or has another password hash, or the identity provider was replaced
   */
  async create(
    { id: userId, accountId }: Pick<User, 'id' | 'accountId'>,
    { address, userAgent }: SessionOrigin,
    {
      passwordHash,
      event,
      secondFactor = false,
      complete = true,
      issuer,
      authenticatedAt,
      method = issuer === undefined ? 'password' : 'single sign-on',
    }: {
      passwordHash?: string;
      event?: AuditEvent;
      secondFactor?: boolean;
      complete?: boolean;
      issuer?: string;
      authenticatedAt?: Date;
      method?: AuthenticationMethod;
    } = {},
  ): Promise<string | null> {
    const id = randomSecret();
    const now = this.#clock();
    const secondFactorAt = secondFactor ? now : null;
    const completedAt = complete ? now : null;
    const expected = passwordHash ?? null;
    const expiresAt = secondsAfter(now, absoluteSeconds);
    const insert = (tx: Prisma.TransactionClient) => tx.$executeRaw`
      WITH holder AS (
        UPDATE users SET last_sign_in_at = COALESCE(${completedAt}, last_sign_in_at)
        WHERE account_id = ${accountId} AND id = ${userId} AND disabled_at IS NULL
          AND (${expected}::text IS NULL OR password_hash = ${expected}::text)
        RETURNING account_id, id
      )
      INSERT INTO sessions
        (id_hash, account_id, user_id, created_at, last_seen_at, authenticated_at, second_factor_at, expires_at, address,
          user_agent, single_sign_on, methods, sid)
      SELECT ${hashSecret(id)}, account_id, id, ${now}, ${now}, ${authenticatedAt ?? now}, ${secondFactorAt}, ${expiresAt}, ${address},
        ${userAgent?.slice(0, 255) ?? null}, ${issuer !== undefined}, ARRAY[${method}], ${randomId(sidLength)}
      FROM holder`;
    const context = { accountId, at: now };
    const created = await change(this.#database.prisma, context, lock.nothing, async ({ tx }) => {
      if (issuer !== undefined && !(await lockIssuer(tx, { accountId, userId, issuer }))) return false;
      if ((await insert(tx)) === 0) return false;
      if (event !== undefined) await recordIn(tx, event, now);
      return true;
    });
    return created ? id : null;
  }

  /**
   * Creates the session of a user whose password is right, with its audit event. A second factor may be missing.
   *
   * @param details of the audit event
   * @returns `null` as for {@link create}
   */
  async createWithPassword(
    user: User,
    { origin, userAgent }: { origin: AuditOrigin; userAgent: string | undefined },
    { passwordHash, details = {} }: { passwordHash: string; details?: AuditEvent['details'] },
  ): Promise<{ sessionId: string; stage: SignInStage } | null> {
    const stage = signInStage(user, { secondFactorAt: null, singleSignOn: false });
    const complete = stage === 'complete';
    const type = complete ? 'sign_in.succeeded' : 'sign_in.password_accepted';
    const event = { type, accountId: user.accountId, userId: user.id, origin, details } as const;
    const from = { address: origin.address, userAgent };
    const sessionId = await this.create(user, from, { passwordHash, event, complete });
    return sessionId === null ? null : { sessionId, stage };
  }

  /**
   * Finds a session; `null` when it is unknown or expired, or its user is disabled, or must use single sign-on. A sign-in has to be completed within
   * ten minutes after the password was entered.
   */
  find(id: string): Promise<ActiveSession | null> {
    return withScope(allAccounts, () => this.#find(id));
  }

  async #find(id: string): Promise<ActiveSession | null> {
    const now = this.#clock();
    const [row] = await this.#database.prisma.$queryRaw<
      (User & {
        lastSeenAt: Date;
        authenticatedAt: Date;
        secondFactorAt: Date | null;
        singleSignOn: boolean;
      })[]
    >`
      SELECT ${userSelection}, sessions.last_seen_at AS "lastSeenAt",
        sessions.authenticated_at AS "authenticatedAt", sessions.second_factor_at AS "secondFactorAt",
        sessions.single_sign_on AS "singleSignOn"
      FROM sessions JOIN users ON users.account_id = sessions.account_id AND users.id = sessions.user_id
        JOIN accounts ON accounts.id = users.account_id
      WHERE sessions.id_hash = ${hashSecret(id)} AND users.disabled_at IS NULL AND sessions.expires_at > ${now}
        AND sessions.last_seen_at > ${secondsBefore(now, idleSeconds)}`;
    if (row === undefined) return null;
    const { lastSeenAt, authenticatedAt, secondFactorAt, singleSignOn, ...user } = row;
    if (!singleSignOn && mustUseSingleSignOn(user)) return null;
    const stage = signInStage(user, { secondFactorAt, singleSignOn });
    const isRecent = now.getTime() - authenticatedAt.getTime() < reauthenticationSeconds * 1000;
    if (stage !== 'complete' && !isRecent) return null;
    if (now.getTime() - lastSeenAt.getTime() >= touchSeconds * 1000) {
      await this.#database.prisma.session.updateMany({
        where: { idHash: hashSecret(id) },
        data: { lastSeenAt: now },
      });
    }
    return { user, authenticatedAt, stage, singleSignOn };
  }

  /**
   * Lists the sessions of a user that have not expired, the last used first. Shows at most {@link maximumListed}. A session
   * that waits for a second factor, or whose user must use single sign-on, shows no page and is not listed.
   *
   * @param currentId id of the session of the request; absent: none of the list
   */
  async list(
    { id: userId, accountId }: Pick<User, 'id' | 'accountId'>,
    { currentId }: { currentId?: string } = {},
  ): Promise<SessionSummary[]> {
    const now = this.#clock();
    const { prisma } = this.#database;
    const [user] = await prisma.$queryRaw<User[]>`
      SELECT ${userSelection} FROM users JOIN accounts ON accounts.id = users.account_id
      WHERE users.account_id = ${accountId} AND users.id = ${userId}`;
    if (user === undefined) return [];
    const rows = await prisma.session.findMany({
      where: {
        accountId,
        userId,
        expiresAt: { gt: now },
        lastSeenAt: { gt: secondsBefore(now, idleSeconds) },
        OR: completeKinds(user),
      },
      orderBy: [{ lastSeenAt: 'desc' }, { idHash: 'asc' }],
      take: maximumListed,
    });
    const current = currentId === undefined ? null : hashSecret(currentId);
    return rows.map(({ idHash, createdAt, lastSeenAt, address, userAgent }) => {
      return { createdAt, lastSeenAt, address, userAgent, current: current?.equals(idHash) ?? false };
    });
  }

  /** Stores that the user of a session has proved the identity again now, together with the event. */
  async confirm(
    id: string,
    event: AuditEvent & { readonly accountId: AccountId },
    method: AuthenticationMethod,
  ): Promise<void> {
    const context = { ...event, at: this.#clock() };
    await change(this.#database.prisma, context, lock.nothing, async (unit) => {
      await unit.tx.$executeRaw`
        UPDATE sessions SET authenticated_at = ${context.at},
          methods = CASE WHEN ${method} = ANY (methods) THEN methods ELSE methods || ${method}::text END
        WHERE id_hash = ${hashSecret(id)} AND account_id = ${event.accountId}`;
      await unit.record(event.type, event.details);
    });
  }

  /**
   * Revokes a session. Does nothing when it is unknown.
   *
   * @param event audit event, stored in the same transaction
   */
  async revoke(id: string, event?: AuditEvent): Promise<void> {
    const at = this.#clock();
    await withScope(allAccounts, () =>
      this.#database.prisma.$transaction(async (tx) => {
        const count = await endSessions(tx, Prisma.sql`id_hash = ${hashSecret(id)}`, at);
        if (count > 0 && event !== undefined) await recordIn(tx, event, at);
      }),
    );
  }
}

/**
 * Locks the identity provider of an account against replacement, after the user (`src/platform/database/README.md`).
 *
 * @returns whether it has this issuer
 */
async function lockIssuer(
  tx: Prisma.TransactionClient,
  { accountId, userId, issuer }: { accountId: string; userId: string; issuer: string },
): Promise<boolean> {
  await tx.$queryRaw`SELECT 1 FROM users WHERE account_id = ${accountId} AND id = ${userId} FOR NO KEY UPDATE`;
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM identity_providers WHERE account_id = ${accountId} AND issuer = ${issuer} FOR SHARE`;
  return rows.length > 0;
}

/** Conditions for the kinds of sessions in which a user is signed in completely. */
function completeKinds(user: User): Prisma.SessionWhereInput[] {
  const kinds = [false, true].flatMap((singleSignOn) =>
    [null, new Date(0)].map((secondFactorAt) => ({ singleSignOn, secondFactorAt })),
  );
  return kinds
    .filter(
      (kind) => signInStage(user, kind) === 'complete' && (kind.singleSignOn || !mustUseSingleSignOn(user)),
    )
    .map(({ singleSignOn, secondFactorAt }) => {
      return { singleSignOn, secondFactorAt: secondFactorAt === null ? null : { not: null } };
    });
}

/**
 * Finds a session of the user, in a change that has locked the user: a change that revokes the sessions of the user and
 * what they created either finds what the caller creates, or has committed.
 */
export function findLockedSession(
  { tx, context: { accountId, userId } }: Unit<AuditContext & { readonly userId: string }>,
  sessionId: string,
): Promise<Authentication | null> {
  return tx.session.findFirst({
    where: { accountId, userId, idHash: hashSecret(sessionId) },
    select: { authenticatedAt: true, methods: true, sid: true },
  });
}
