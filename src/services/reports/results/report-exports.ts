import type { Database } from '../../../database/client.js';
import { randomId } from '../../../database/ids.js';
import { accountScope, withScope } from '../../../database/scope.js';
import type { ApplicationAuditContext } from '../../audit-context.js';
import { recordProgressIn } from '../../audit-log.js';
import type { Report } from '../report.js';
import type { ReportResults } from './report-results.js';
import { RowCounter } from './row-counter.js';

interface ExportOptions {
  /** Stops the export, even when its chunks are not read, because a response may be queued behind another one. */
  readonly signal: AbortSignal;
  /** Called before each chunk is yielded, with the number of rows that end in it. */
  readonly onRows: (count: number) => void;
}

/** Exports whole results. Each export stores an audit event. */
export class ReportExports {
  readonly #database: Database;
  readonly #results: ReportResults;
  readonly #running = new Set<Promise<void>>();

  constructor(database: Database, results: ReportResults) {
    this.#database = database;
    this.#results = results;
  }

  /**
   * Yields the whole result of a report as CSV. The audit event is stored before the first byte is yielded. When the export
   * ends, completely or not, the number of yielded rows is added to the event. The client may have received fewer. An event
   * without this number belongs to an export whose process was killed, or that ended while the database was unavailable.
   */
  stream(
    auditContext: ApplicationAuditContext,
    report: Report,
    options: ExportOptions,
  ): AsyncGenerator<Buffer, void, undefined> {
    const chunks = this.#audited(auditContext, report, options);
    // The client has disconnected. After a failure the event has no number of rows.
    const stop = () => void chunks.return().catch(() => {});
    options.signal.addEventListener('abort', stop, { once: true });
    return chunks;
  }

  /** Resolves when the running exports have ended and their events are stored. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  async *#audited(
    auditContext: ApplicationAuditContext,
    report: Report,
    { signal, onRows }: ExportOptions,
  ): AsyncGenerator<Buffer, void, undefined> {
    const finish = this.#start();
    const id = randomId();
    const chunks = this.#results.streamCsv(auditContext.accountId, report, signal);
    const counter = new RowCounter();
    let started = false;
    let complete = false;
    let rows = 0;
    try {
      // When the export fails before the first byte, the response is a problem document and there is no event.
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
        .finally(finish);
    }
  }

  #start(): () => void {
    let finish = () => {};
    const running = new Promise<void>((resolve) => {
      finish = resolve;
    });
    this.#running.add(running);
    return () => {
      this.#running.delete(running);
      finish();
    };
  }

  /** Stores the event in its own scope, because a stream is read outside the scope of the request. */
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
