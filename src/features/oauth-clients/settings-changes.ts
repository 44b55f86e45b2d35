import { createHash } from 'node:crypto';
import { type ApplicationSettings, formatBoolean } from '../../oauth/clients/application-settings.js';
import {
  type AuditContext,
  type AuditEvent,
  type AuditEventType,
  recordIn,
} from '../../platform/audit/audit-log.js';
import type { Prisma } from '../../platform/database/client.js';

/** Hash of settings, which identifies their version. */
export function settingsVersion(settings: ApplicationSettings): string {
  const { name, redirectUris, scopes, requireClientSecret } = settings;
  return createHash('sha256')
    .update(JSON.stringify([name, redirectUris, scopes, requireClientSecret]))
    .digest('base64url');
}

/** Describes the difference between two settings for the audit log; empty when there is none. */
export function settingsChanges(
  before: ApplicationSettings,
  after: ApplicationSettings,
): Record<string, string | string[]> {
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
    details.require_client_secret = `${formatBoolean(before.requireClientSecret)} → ${formatBoolean(after.requireClientSecret)}`;
  }
  return details;
}

/** Stores an audit event of an application, in the transaction that changes the application. */
export async function recordApplicationEvent(
  tx: Prisma.TransactionClient,
  type: AuditEventType & `application.${string}`,
  { accountId, userId, origin, at }: AuditContext,
  applicationId: string,
  details: NonNullable<AuditEvent['details']> = {},
): Promise<void> {
  await recordIn(tx, { type, accountId, userId, applicationId, origin, details }, at);
}
