import { recordIn } from '../../platform/audit/audit-log.js';
import type { AppSecrets } from '../../platform/crypto/keyring.js';
import type { Database } from '../../platform/database/client.js';
import { WebhookSecrets } from './webhook-secrets.js';

/**
 * Re-encrypts, in one transaction, the secrets of all webhook endpoints that were encrypted with the previous `APP_SECRET`.
 *
 * @returns number of endpoints whose secrets were re-encrypted
 * @throws {UnreadableWebhookSecretError} when one was encrypted with another secret
 */
export function resealWebhookSecrets(
  { prisma }: Pick<Database, 'prisma'>,
  appSecrets: AppSecrets,
  at: Date,
): Promise<number> {
  const secrets = new WebhookSecrets(appSecrets);
  return prisma.$transaction(async (tx) => {
    // A secret that is replaced meanwhile must not come back.
    await tx.$executeRaw`LOCK TABLE webhook_endpoints IN SHARE ROW EXCLUSIVE MODE`;
    const rows = await tx.webhookEndpoint.findMany({ orderBy: [{ accountId: 'asc' }, { id: 'asc' }] });
    let count = 0;
    for (const row of rows) {
      const { accountId, id, applicationId } = row;
      const sealedSecret = await secrets.reseal(row.sealedSecret, row);
      const sealedPreviousSecret =
        row.sealedPreviousSecret === null ? null : await secrets.reseal(row.sealedPreviousSecret, row);
      if (sealedSecret === row.sealedSecret && sealedPreviousSecret === row.sealedPreviousSecret) continue;
      await tx.webhookEndpoint.updateMany({
        where: { accountId, id },
        data: { sealedSecret, sealedPreviousSecret },
      });
      const event = { accountId, applicationId, details: { endpoint: id } };
      await recordIn(tx, { type: 'webhook_endpoint.resealed', ...event }, at);
      count += 1;
    }
    return count;
  });
}
