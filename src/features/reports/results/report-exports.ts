import type { CallerAuditContext } from '../../../platform/audit/audit-context.js';
import type { AuditedExports, CsvChunks } from '../../../platform/audit/audited-exports.js';
import type { Report } from '../report.js';
import type { ReportResults } from './report-results.js';

interface ExportOptions {
  /** Stops the export, even when its chunks are not read, because a response may be queued behind another one. */
  readonly signal: AbortSignal;
  /** Called before each chunk is yielded, with the number of rows that end in it. */
  readonly onRows?: (count: number) => void;
}

/** Exports whole results. Each export stores an audit event. */
export class ReportExports {
  readonly #exports: AuditedExports;
  readonly #results: ReportResults;

  constructor(exports: AuditedExports, results: ReportResults) {
    this.#exports = exports;
    this.#results = results;
  }

  /** Yields the whole result of a report as CSV, as {@link AuditedExports.stream}. */
  stream({ at, ...auditContext }: CallerAuditContext, report: Report, options: ExportOptions): CsvChunks {
    const details = { report: report.id, title: report.title };
    return this.#exports.stream({
      event: { type: 'report.exported', ...auditContext, details },
      at,
      chunks: this.#results.streamCsv(auditContext.accountId, report, options.signal),
      ...options,
    });
  }
}
