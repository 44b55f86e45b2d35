import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../clock.js';
import type { Database, Prisma } from '../database/client.js';
import { accountScope, allAccounts, withScope } from '../database/scope.js';
import { type AuditEvent, recordIn } from './audit-log.js';
import { toUser, type User, type UserRow, userSelection } from './user.js';

/** A session expires after this time without use, and after the absolute time in any case. */
export const idleSeconds = 2 * 3600;
export const absoluteSeconds = 24 * 3600;

/** Minimum time between two writes of the last use of a session. */
const touchSeconds = 60;

/** The browser in which the user signed in. */
export interface SessionOrigin {
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
   * The user is locked. A concurrent transaction that disables the user or changes the password either commits first or
   * finds this session and revokes it.
   *
   * @param options.passwordHash the hash that the password was compared with; absent: not checked
   * @param options.event audit event, stored in the same transaction
   * @returns the id; `null` when the user is disabled or has another password hash
   */
  async create(
    { id: userId, accountId }: Pick<User, 'id' | 'accountId'>,
    { address, userAgent }: SessionOrigin,
    { passwordHash, event }: { passwordHash?: string; event?: AuditEvent } = {},
  ): Promise<string | null> {
    const id = randomBytes(32).toString('base64url');
    const now = this.#clock();
    const expected = passwordHash ?? null;
    const expiresAt = new Date(now.getTime() + absoluteSeconds * 1000);
    const insert = (tx: Prisma.TransactionClient) => tx.$executeRaw`
      WITH holder AS (
        SELECT account_id, id FROM users
        WHERE account_id = ${accountId} AND id = ${userId} AND disabled_at IS NULL
          AND (${expected}::text IS NULL OR password_hash = ${expected}::text)
        FOR SHARE
      )
      INSERT INTO sessions (id_hash, account_id, user_id, created_at, last_seen_at, expires_at, address, user_agent)
      SELECT ${hashId(id)}, account_id, id, ${now}, ${now}, ${expiresAt}, ${address},
        ${userAgent?.slice(0, 255) ?? null}
      FROM holder`;
    const created = await withScope(accountScope(accountId), () =>
      this.#database.prisma.$transaction(async (tx) => {
        if ((await insert(tx)) === 0) return false;
        if (event !== undefined) await recordIn(tx, event, now);
        return true;
      }),
    );
    return created ? id : null;
  }

  /** Finds the user of a session; `null` when the session is unknown or expired, or the user is disabled. */
  find(id: string): Promise<User | null> {
    return withScope(allAccounts, () => this.#find(id));
  }

  async #find(id: string): Promise<User | null> {
    const now = this.#clock();
    const [row] = await this.#database.prisma.$queryRaw<(UserRow & { lastSeenAt: Date })[]>`
      SELECT ${userSelection}, sessions.last_seen_at AS "lastSeenAt"
      FROM sessions JOIN users ON users.account_id = sessions.account_id AND users.id = sessions.user_id
        JOIN accounts ON accounts.id = users.account_id
      WHERE sessions.id_hash = ${hashId(id)} AND users.disabled_at IS NULL AND sessions.expires_at > ${now}
        AND sessions.last_seen_at > ${new Date(now.getTime() - idleSeconds * 1000)}`;
    if (row === undefined) return null;
    if (now.getTime() - row.lastSeenAt.getTime() >= touchSeconds * 1000) {
      await this.#database.prisma.session.updateMany({
        where: { idHash: hashId(id) },
        data: { lastSeenAt: now },
      });
    }
    return toUser(row);
  }

  /**
   * Revokes a session. Does nothing when it is unknown.
   *
   * @param event audit event, stored in the same transaction
   */
  async revoke(id: string, event?: AuditEvent): Promise<void> {
    const where = { idHash: hashId(id) };
    await withScope(allAccounts, () =>
      this.#database.prisma.$transaction(async (tx) => {
        const { count } = await tx.session.deleteMany({ where });
        if (count > 0 && event !== undefined) await recordIn(tx, event, this.#clock());
      }),
    );
  }
}

function hashId(id: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(id).digest();
}
