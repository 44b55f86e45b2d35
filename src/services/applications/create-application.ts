import type { Database } from '../../database/client.js';
import { randomId } from '../../database/ids.js';
import type { UserAuditContext } from '../audit-context.js';
import { recordIn } from '../audit-log.js';
import { claimForm } from '../submitted-forms.js';
import { type ApplicationSettings, yesOrNo } from './application-settings.js';
import type { ClientType } from './client-registry.js';
import { newClientSecret } from './client-secret.js';

export type CreatedApplication =
  | {
      readonly kind: 'created';
      readonly id: string;
      readonly clientId: string;
      /** The only time that it is to be had; `null` for a public client. */
      readonly clientSecret: string | null;
    }
  /** The same form made this application before. */
  | { readonly kind: 'repeated'; readonly id: string };

/**
 * Registers an application, and its first secret when it is a confidential one.
 *
 * @param nonce names the form: sent twice, it makes one application
 */
export async function createApplication(
  { prisma }: Database,
  { accountId, userId, origin, at }: UserAuditContext,
  { clientType, settings, nonce }: { clientType: ClientType; settings: ApplicationSettings; nonce: string },
): Promise<CreatedApplication> {
  const id = randomId();
  const clientId = randomId();
  const secret = clientType === 'confidential' ? newClientSecret() : null;
  const { name, redirectUris, scopes } = settings;
  const requireClientSecret = clientType === 'confidential' && settings.requireClientSecret;
  return prisma.$transaction(async (tx): Promise<CreatedApplication> => {
    const earlier = await claimForm(tx, { userId, nonce }, { resultId: id, at });
    if (earlier !== null) return { kind: 'repeated', id: earlier };
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
        data: { id: randomId(), applicationId: id, secretHash: secret.hash, createdAt: at },
      });
    }
    const details = {
      name,
      client_id: clientId,
      client_type: clientType,
      redirect_uris: redirectUris,
      scopes,
      ...(clientType === 'confidential' && { require_client_secret: yesOrNo(requireClientSecret) }),
    };
    await recordIn(
      tx,
      { type: 'application.created', accountId, userId, applicationId: id, origin, details },
      at,
    );
    return { kind: 'created', id, clientId, clientSecret: secret?.value ?? null };
  });
}
