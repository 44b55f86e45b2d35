import { createHash } from 'node:crypto';
import type { Database } from '../../database/client.js';
import type { UserAuditContext } from '../audit-context.js';
import { recordIn } from '../audit-log.js';
import { type ApplicationSettings, yesOrNo } from './application-settings.js';
import { lockApplication } from './lock-application.js';

export type UpdateOutcome = 'updated' | 'not_found' | 'changed_meanwhile';

/** Stands for settings as somebody saw them. */
export function settingsVersion(settings: ApplicationSettings): string {
  const { name, redirectUris, scopes, requireClientSecret } = settings;
  return createHash('sha256')
    .update(JSON.stringify([name, redirectUris, scopes, requireClientSecret]))
    .digest('base64url');
}

/**
 * Changes an application. Tokens follow at their next use: a scope that was taken away is gone from them.
 *
 * @param version what the editor saw: a change that somebody else made since then is not undone unseen
 */
export async function updateApplication(
  { prisma }: Database,
  { accountId, userId, origin, at }: UserAuditContext,
  { id, settings, version }: { id: string; settings: ApplicationSettings; version: string | undefined },
): Promise<UpdateOutcome> {
  return prisma.$transaction(async (tx): Promise<UpdateOutcome> => {
    const before = await lockApplication(tx, accountId, id);
    if (before === null) return 'not_found';
    if (version !== undefined && settingsVersion(before) !== version) return 'changed_meanwhile';
    const requireClientSecret = before.clientType === 'confidential' && settings.requireClientSecret;
    const details = changes(before, { ...settings, requireClientSecret });
    if (Object.keys(details).length === 0) return 'updated';

    const { name, redirectUris, scopes } = settings;
    await tx.application.update({
      where: { id, accountId },
      data: {
        name,
        redirectUris: [...redirectUris],
        scopes: [...scopes],
        requireClientSecret,
        updatedAt: at,
      },
    });
    // A code that is on its way to an address that is no longer trusted is worth nothing there.
    await tx.authorizationCode.deleteMany({
      where: { applicationId: id, usedAt: null, redirectUri: { notIn: [...redirectUris] } },
    });
    await recordIn(
      tx,
      { type: 'application.updated', accountId, userId, applicationId: id, origin, details },
      at,
    );
    return 'updated';
  });
}

function changes(before: ApplicationSettings, after: ApplicationSettings): Record<string, string | string[]> {
  const details: Record<string, string | string[]> = {};
  if (before.name !== after.name) details.name = `${before.name} → ${after.name}`;
  for (const [member, word] of [
    ['redirectUris', 'redirect_uris'],
    ['scopes', 'scopes'],
  ] as const) {
    const added = after[member].filter((value) => !before[member].includes(value));
    const removed = before[member].filter((value) => !after[member].includes(value));
    if (added.length > 0) details[`${word}_added`] = added;
    if (removed.length > 0) details[`${word}_removed`] = removed;
  }
  if (before.requireClientSecret !== after.requireClientSecret) {
    details.require_client_secret = `${yesOrNo(before.requireClientSecret)} → ${yesOrNo(after.requireClientSecret)}`;
  }
  return details;
}
