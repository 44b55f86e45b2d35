import { type ApplicationSettings, yesOrNo } from '../../oauth/clients/application-settings.js';
import type { ClientType } from '../../oauth/clients/client-registry.js';
import { newClientSecret } from '../../oauth/clients/client-secret.js';
import type { UserAuditContext } from '../../platform/audit/audit-context.js';
import type { Prisma } from '../../platform/database/client.js';
import { randomId } from '../../platform/database/ids.js';
import { recordApplicationEvent } from './record-application-event.js';

/**
 * Inserts an application, the first secret of a confidential application, and the audit event, in the transaction of the
 * caller.
 *
 * @returns `clientSecret`: `null` for a public client
 */
export async function insertApplication(
  tx: Prisma.TransactionClient,
  auditContext: UserAuditContext,
  { id, clientType, settings }: { id: string; clientType: ClientType; settings: ApplicationSettings },
): Promise<{ clientId: string; clientSecret: string | null }> {
  const { accountId, userId, at } = auditContext;
  const clientId = randomId();
  const secret = clientType === 'confidential' ? newClientSecret() : null;
  const { name, redirectUris, scopes } = settings;
  const requireClientSecret = clientType === 'confidential' && settings.requireClientSecret;
  await tx.application.create({
    data: {
      id,
      accountId,
      clientId,
      clientType,
      name,
      redirectUris: [...redirectUris],
      scopes: [...scopes],
      requireClientSecret,
      createdById: userId,
      createdAt: at,
      updatedAt: at,
    },
  });
  if (secret !== null) {
    await tx.applicationSecret.create({
      data: { id: randomId(), accountId, applicationId: id, ...secret.stored, createdAt: at },
    });
  }
  await recordApplicationEvent(tx, 'application.created', auditContext, id, {
    name,
    client_id: clientId,
    client_type: clientType,
    redirect_uris: redirectUris,
    scopes,
    ...(clientType === 'confidential' && { require_client_secret: yesOrNo(requireClientSecret) }),
  });
  return { clientId, clientSecret: secret?.value ?? null };
}
