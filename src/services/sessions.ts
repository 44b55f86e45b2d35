import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../clock.js';
import type { Database, Prisma } from '../database/client.js';
import { accountScope, allAccounts, withScope } from '../database/scope.js';
import { type AuditEvent, recordIn } from './audit-log.js';
import { toUser, type User, type UserRow, userSelection } from './user.js';

/** A session ends this long after it was last used, and after this long in any case. */
export const idleSeconds = 2 * 3600;
export const absoluteSeconds = 24 * 3600;

/** A session's last use is written down at most this often. */
const touchSeconds = 60;

/** The browser that a session begins in. */
export interface SessionOrigin {
  readonly address: string;
  readonly userAgent: string | undefined;
}

/**
 * Sessions of signed-in browsers. They are kept on the server, so that signing out ends them everywhere; the
 * browser has a random name of the session, and the database only a hash of it. Whose a session is is not known before
 * it is found: every account's are looked through.
 */
export class Sessions {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Begins a session, always under a new name: one that was planted in the browser before is worth nothing.
   *
   * The user is locked meanwhile. A transaction that disables the user or sets another password either finds this
   * session and ends it, or comes first.
   *
   * @param passwordHash the hash that the password was compared with; absent: it does not matter
   * @param event why it begins; stored together with it
   * @returns `null` when the user is disabled, or has another password hash by now
   */
  async begin(
    { id: userId, accountId }: Pick<User, 'id' | 'accountId'>,
    { address, userAgent }: SessionOrigin,
    { passwordHash, event }: { passwordHash?: string; event?: AuditEvent } = {},
  ): Promise<string | null> {
    const id = randomBytes(32).toString('base64url');
    const now = this.#clock();
    const expected = passwordHash ?? null;
    const expiresAt = new Date(now.getTime() + absoluteSeconds * 1000);
    const begin = (tx: Prisma.TransactionClient) => tx.$executeRaw`
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
    const begun = await withScope(accountScope(accountId), () =>
      this.#database.prisma.$transaction(async (tx) => {
        if ((await begin(tx)) === 0) return false;
        if (event !== undefined) await recordIn(tx, event, now);
        return true;
      }),
    );
    return begun ? id : null;
  }

  /** Whose session this is; `null` when it is unknown or over, or the user was disabled. */
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
   * Ends a session. Ending one that is over is no error.
   *
   * @param event why it ends; stored together with that
   */
  async end(id: string, event?: AuditEvent): Promise<void> {
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
