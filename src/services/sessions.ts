import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../clock.js';
import type { Database } from '../database/client.js';
import { everything, withScope } from '../database/scope.js';
import { type AuditEvent, recordIn } from './audit-log.js';
import { toUser, type User, type UserRow, userSelection } from './users.js';

/** A session ends this long after it was last used, and after this long in any case. */
export const idleSeconds = 2 * 3600;
export const absoluteSeconds = 24 * 3600;

/** A session's last use is written down at most this often. */
const touchSeconds = 60;

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

  /** Begins a session, always under a new name: one that was planted in the browser before is worth nothing. */
  async begin(userId: string, from: { address: string; userAgent: string | undefined }): Promise<string> {
    const id = randomBytes(32).toString('base64url');
    const now = this.#clock();
    const data = {
      idHash: hashId(id),
      userId,
      createdAt: now,
      lastSeenAt: now,
      expiresAt: new Date(now.getTime() + absoluteSeconds * 1000),
      address: from.address,
      userAgent: from.userAgent?.slice(0, 255) ?? null,
    };
    await withScope(everything, () => this.#database.prisma.session.create({ data }));
    return id;
  }

  /** Whose session this is; `null` when it is unknown or over, or the user was disabled. */
  find(id: string): Promise<User | null> {
    return withScope(everything, () => this.#find(id));
  }

  async #find(id: string): Promise<User | null> {
    const now = this.#clock();
    const [row] = await this.#database.prisma.$queryRaw<(UserRow & { lastSeenAt: Date })[]>`
      SELECT ${userSelection}, sessions.last_seen_at AS "lastSeenAt"
      FROM sessions JOIN users ON users.id = sessions.user_id JOIN accounts ON accounts.id = users.account_id
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
    await withScope(everything, () =>
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
