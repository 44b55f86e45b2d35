import type { AccountId } from '../../platform/accounts/account-id.js';
import type { AuditEvent } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Database } from '../../platform/database/client.js';

/** Revokes single access tokens. */
export class AccessTokenRevocations {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /** Revokes an access token and stores the audit event. Does nothing when it is already revoked. */
  async revoke({
    tokenId,
    expiresAt,
    at,
    event,
  }: {
    tokenId: string;
    expiresAt: Date;
    at: Date;
    event: AuditEvent & { readonly accountId: AccountId };
  }): Promise<void> {
    await change(this.#prisma, { ...event, at }, lock.nothing, async (unit) => {
      const { count } = await unit.tx.revokedAccessToken.createMany({
        data: [{ jti: tokenId, accountId: event.accountId, expiresAt }],
        skipDuplicates: true,
      });
      if (count > 0) await unit.record(event.type, event.details);
    });
  }
}
