import type { Fields } from '../../../platform/pages/fields.js';
import { settings } from '../../../platform/pages/paths.js';
import type { AuditAnchor } from '../audit-log-reader.js';

/** Names of the filters in the URL. */
export const filterNames = ['person', 'application', 'type', 'from', 'to', 'tokens'] as const;

/** Values of the filters in the URL; empty without a filter. */
export type AuditQuery = Readonly<Record<(typeof filterNames)[number], string>>;

/** Reads the filters of a URL. */
export function readAuditQuery(query: Fields): AuditQuery {
  return Object.fromEntries(filterNames.map((name) => [name, query.text(name)])) as AuditQuery;
}

/** URL of the audit log with these filters. */
export function auditAddress(
  query: Partial<AuditQuery>,
  { after, path = settings.auditLog }: { after?: AuditAnchor; path?: string } = {},
): string {
  const parameters = new URLSearchParams();
  for (const name of filterNames) {
    const value = query[name];
    if (value !== undefined && value !== '') parameters.set(name, value);
  }
  if (after !== undefined) parameters.set('after', `${after.createdAt.getTime()}-${after.id}`);
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

/** Parses the cursor of a page. Any other value selects the first page. */
export function readAnchor(text: string): AuditAnchor | undefined {
  const [, time, id] = /^(\d{1,15})-([a-z0-9]{1,64})$/.exec(text) ?? [];
  if (time === undefined || id === undefined || Number(time) > latest) return undefined;
  return { createdAt: new Date(Number(time)), id };
}

const latest = Date.UTC(9999, 11, 31);
