import type { AccountId } from '../../platform/accounts/account-id.js';
import { type AuditEvent, recordIn } from '../../platform/audit/audit-log.js';
import type { Database } from '../../platform/database/client.js';
import { accountScope, withScope } from '../../platform/database/scope.js';

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
