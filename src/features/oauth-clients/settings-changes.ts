import { createHash } from 'node:crypto';
import { type ApplicationSettings, formatBoolean } from '../../oauth/clients/application-settings.js';

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
