import type { Database } from '../../database/client.js';
import { accountScope, withScope } from '../../database/scope.js';
import type { AccountId } from '../account-id.js';
import { type AuditEvent, recordIn } from '../audit-log.js';

/** Access tokens that were revoked before they expire. */
export class AccessTokenRevocations {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /** Revokes an access token, and stores the event the first time. Revoking it twice changes nothing. */
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
    await withScope(accountScope(event.accountId), () =>
      this.#prisma.$transaction(async (tx) => {
        const { count } = await tx.revokedAccessToken.createMany({
          data: [{ jti: tokenId, accountId: event.accountId, expiresAt }],
          skipDuplicates: true,
        });
        if (count > 0) await recordIn(tx, event, at);
      }),
    );
  }
}
