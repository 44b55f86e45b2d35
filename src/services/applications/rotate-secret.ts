import type { Database } from '../../database/client.js';
import { randomId } from '../../database/ids.js';
import type { UserAuditContext } from '../audit-context.js';
import { recordIn } from '../audit-log.js';
import { claimForm, releaseForm } from '../submitted-forms.js';
import { newClientSecret } from './client-secret.js';
import { lockApplication } from './lock-application.js';

/** Secrets that an application can have at once: the one in use, and the one that takes over. */
export const maximumSecrets = 2;

export type CreatedSecret =
  /** `clientSecret` is to be had this once. */
  | { readonly kind: 'created'; readonly clientId: string; readonly clientSecret: string }
  | { readonly kind: 'repeated' | 'not_found' | 'public_client' | 'too_many' };

/** Gives a confidential application a second secret; both work until one is retired. */
export async function createSecret(
  { prisma }: Database,
  { accountId, userId, origin, at }: UserAuditContext,
  { applicationId, nonce }: { applicationId: string; nonce: string },
): Promise<CreatedSecret> {
  const id = randomId();
  const secret = newClientSecret();
  return prisma.$transaction(async (tx): Promise<CreatedSecret> => {
    const application = await lockApplication(tx, accountId, applicationId);
    if (application === null) return { kind: 'not_found' };
    if (application.clientType === 'public') return { kind: 'public_client' };
    if ((await claimForm(tx, { userId, nonce }, { resultId: id, at })) !== null) return { kind: 'repeated' };
    if ((await tx.applicationSecret.count({ where: { applicationId } })) >= maximumSecrets) {
      await releaseForm(tx, { userId, nonce });
      return { kind: 'too_many' };
    }
    await tx.applicationSecret.create({
      data: { id, applicationId, secretHash: secret.hash, createdAt: at },
    });
    await recordIn(tx, { type: 'application.secret_created', accountId, userId, applicationId, origin }, at);
    return { kind: 'created', clientId: application.clientId, clientSecret: secret.value };
  });
}

export type RetireOutcome = 'retired' | 'not_found' | 'only_one';

/** Ends a secret for good. The only one stays: the application would be locked out. */
export async function retireSecret(
  { prisma }: Database,
  { accountId, userId, origin, at }: UserAuditContext,
  { applicationId, secretId }: { applicationId: string; secretId: string },
): Promise<RetireOutcome> {
  return prisma.$transaction(async (tx): Promise<RetireOutcome> => {
    if ((await lockApplication(tx, accountId, applicationId)) === null) return 'not_found';
    const secrets = await tx.applicationSecret.findMany({ where: { applicationId } });
    const retired = secrets.find(({ id }) => id === secretId);
    if (retired === undefined) return 'not_found';
    if (secrets.length === 1) return 'only_one';
    await tx.applicationSecret.delete({ where: { id: secretId, applicationId } });
    const details = { created_at: retired.createdAt.toISOString() };
    await recordIn(
      tx,
      { type: 'application.secret_retired', accountId, userId, applicationId, origin, details },
      at,
    );
    return 'retired';
  });
}
