import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import type { AuditedExports, CsvChunks } from '../../platform/audit/audited-exports.js';
import { csvLine, formulaStarts } from '../../platform/database/cursor-csv.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import type { AuditAnchor, AuditEntry, AuditFilter, AuditLogReader } from './audit-log-reader.js';

/** Events of one chunk, which is in memory. */
const eventsPerChunk = 500;

const columns: Readonly<Record<string, (entry: AuditEntry) => string | null>> = {
  id: ({ id }) => id,
  created_at: ({ createdAt }) => createdAt.toISOString(),
  type: ({ type }) => type,
  user_id: ({ userId }) => userId,
  user_name: ({ userName }) => userName,
  user_email: ({ userEmail }) => userEmail,
  application_id: ({ applicationId }) => applicationId,
  application_name: ({ applicationName }) => applicationName,
  address: ({ address }) => address,
  request_id: ({ requestId }) => requestId,
  details: ({ details }) => JSON.stringify(details),
};

/** Exports the audit log as CSV. Each export is an event of the audit log. */
export class AuditLogExports {
  readonly #exports: AuditedExports;
  readonly #reader: AuditLogReader;

  constructor(exports: AuditedExports, reader: AuditLogReader) {
    this.#exports = exports;
    this.#reader = reader;
  }

  /**
   * Yields the selected events as CSV, newest first: a header line, then a line for each event. The log is read in pages, so
   * a long export holds no transaction open. Events that are stored meanwhile are newer and are not part of the export.
   *
   * @param options.details the filter as it was requested, for the event of the export
   */
  stream(
    { at, ...auditContext }: UserAuditContext,
    {
      filter,
      details,
      signal,
    }: { filter: AuditFilter; details: Readonly<Record<string, string>>; signal: AbortSignal },
  ): CsvChunks {
    return this.#exports.stream({
      event: { type: 'audit_log.exported', ...auditContext, details },
      at,
      chunks: this.#chunks(auditContext.accountId, filter, signal),
      signal,
    });
  }

  async *#chunks(
    accountId: UserAuditContext['accountId'],
    filter: AuditFilter,
    signal: AbortSignal,
  ): CsvChunks {
    const header = csvLine(Object.keys(columns));
    for (let after: AuditAnchor | undefined, isFirst = true; ; isFirst = false) {
      signal.throwIfAborted();
      // In its own scope, because a stream is read outside the scope of the request.
      const { entries, more } = await withScope(accountScope(accountId), () =>
        this.#reader.list(accountId, { filter, after, size: eventsPerChunk }),
      );
      const lines = entries.map((entry) =>
        csvLine(Object.values(columns).map((cell) => plainText(cell(entry)))),
      );
      yield Buffer.from(`${isFirst ? header : ''}${lines.join('')}`);
      after = entries.at(-1);
      if (!more) return;
    }
  }
}

/**
 * Marks a value that a spreadsheet would interpret as a formula as text. Users and clients choose names, addresses and
 * request ids, and an administrator opens the file.
 */
function plainText(value: string | null): string | null {
  return value !== null && formulaStarts.has(value.charAt(0)) ? `'${value}` : value;
}
