import type { Database } from '../../../database/client.js';
import { randomId } from '../../../database/ids.js';
import { accountScope, withScope } from '../../../database/scope.js';
import type { ApplicationAuditContext } from '../../audit-context.js';
import { recordProgressIn } from '../../audit-log.js';
import type { Report } from '../report.js';
import type { ReportResults } from './report-results.js';
import { RowCounter } from './row-counter.js';

interface ExportOptions {
  /** Ends the export, also one whose chunks are no longer read: a response may wait behind another one. */
  readonly signal: AbortSignal;
  /** Is called with the number of rows that end in each chunk before the chunk is yielded. */
  readonly onRows: (count: number) => void;
}

/** Exports of whole results. Each one is an event of the audit log. */
export class ReportExports {
  readonly #database: Database;
  readonly #results: ReportResults;
  readonly #running = new Set<Promise<void>>();

  constructor(database: Database, results: ReportResults) {
    this.#database = database;
    this.#results = results;
  }

  /**
   * Yields the whole result of a report as CSV. The event is stored before the first byte is yielded: without it nothing
   * is exported. When the export ends, completely or not, the event gets the number of rows that were handed to the
   * connection, which may be some more than the client received. An event without this number belongs to an export
   * whose process was killed, or that ended while the database was away.
   */
  stream(
    auditContext: ApplicationAuditContext,
    report: Report,
    options: ExportOptions,
  ): AsyncGenerator<Buffer, void, undefined> {
    const chunks = this.#audited(auditContext, report, options);
    // The client is gone. A failure shows in the event, which lacks its number of rows.
    const end = () => void chunks.return().catch(() => {});
    options.signal.addEventListener('abort', end, { once: true });
    return chunks;
  }

  /** Resolves when the exports that are running have ended and their events are stored. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  async *#audited(
    auditContext: ApplicationAuditContext,
    report: Report,
    { signal, onRows }: ExportOptions,
  ): AsyncGenerator<Buffer, void, undefined> {
    const ended = this.#begin();
    const id = randomId();
    const chunks = this.#results.streamCsv(auditContext.accountId, report, signal);
    const counter = new RowCounter();
    let started = false;
    let complete = false;
    let rows = 0;
    try {
      // An export that fails before its first byte is a problem response, and no event.
      let chunk = await chunks.next();
      await this.#record(id, auditContext, report, { complete: 'no' });
      started = true;
      while (chunk.done !== true) {
        const count = counter.count(chunk.value);
        rows += count;
        onRows(count);
        yield chunk.value;
        chunk = await chunks.next();
      }
      complete = true;
    } finally {
      const result = { rows: String(rows), complete: complete ? 'yes' : 'no' };
      await chunks
        .return()
        .finally(() => (started ? this.#record(id, auditContext, report, result) : undefined))
        .finally(ended);
    }
  }

  #begin(): () => void {
    let end = () => {};
    const running = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#running.add(running);
    return () => {
      this.#running.delete(running);
      end();
    };
  }

  /** The scope is named because a stream is read outside of the request's own work. */
  async #record(
    id: string,
    { at, ...auditContext }: ApplicationAuditContext,
    { id: report, title }: Report,
    result: { readonly rows?: string; readonly complete: string },
  ): Promise<void> {
    const event = {
      type: 'report.exported' as const,
      ...auditContext,
      details: { report, title, ...result },
    };
    await withScope(accountScope(auditContext.accountId), () =>
      recordProgressIn(this.#database.prisma, id, event, at),
    );
  }
}
