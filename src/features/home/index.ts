import type { Core } from '../../platform/core.js';
import type { AuditLogReader } from '../audit-log/index.js';
import { HomeFigures } from './home-figures.js';
import { RecentChanges } from './recent-changes.js';

/** Creates what Home shows. */
export function createHome(core: Core, { auditLogReader }: { auditLogReader: AuditLogReader }) {
  return { homeFigures: new HomeFigures(core), recentChanges: new RecentChanges(core, auditLogReader) };
}
