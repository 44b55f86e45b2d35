import type { AccountId } from '../accounts/account-id.js';
import type { Database } from '../database/client.js';
import { randomId } from '../database/ids.js';
import { accountScope, withScope } from '../database/scope.js';
import { type AuditEvent, recordProgressIn } from './audit-log.js';

const lineFeed = 0x0a;
const quote = 0x22;

/** Counts the rows of a CSV table while it is sent. An LF inside a quoted value does not end a row. */
export class CsvRowCounter {
  #isHeader = true;
  #isQuoted = false;

  /** Returns how many rows end in the next bytes of the table. The header line is not a row. */
  count(bytes: Buffer): number {
    let isQuoted = this.#isQuoted;
    let lines = 0;
    // Searching is several times faster than reading each byte.
    let nextQuote = find(bytes, quote, 0);
    let nextLineFeed = find(bytes, lineFeed, 0);
    while (nextQuote < bytes.length || nextLineFeed < bytes.length) {
      if (nextQuote < nextLineFeed) {
        // A doubled quotation mark inside a value toggles twice.
        isQuoted = !isQuoted;
        nextQuote = find(bytes, quote, nextQuote + 1);
      } else {
        if (!isQuoted) lines += 1;
        nextLineFeed = find(bytes, lineFeed, nextLineFeed + 1);
      }
    }
    this.#isQuoted = isQuoted;
    if (!this.#isHeader || lines === 0) return lines;
    this.#isHeader = false;
    return lines - 1;
  }
}

/** Returns the index of the next occurrence of a byte; the length if there is none. */
function find(bytes: Buffer, byte: number, from: number): number {
  const index = bytes.indexOf(byte, from);
  return index === -1 ? bytes.length : index;
}

/** Chunks of a CSV table. */
export type CsvChunks = AsyncGenerator<Buffer, void, undefined>;

interface AuditedExport {
  /** The event, without the number of rows. */
  readonly event: Omit<AuditEvent, 'accountId'> & { readonly accountId: AccountId };
  /** Time of the event. */
  readonly at: Date;
  readonly chunks: CsvChunks;
  /** Stops the export, even when its chunks are not read, because a response may be queued behind another one. */
  readonly signal: AbortSignal;
  /** Called before each chunk is yielded, with the number of rows that end in it. */
  readonly onRows?: (count: number) => void;
}

/** Exports of CSV tables. Each export stores an audit event. */
export class AuditedExports {
  readonly #database: Database;
  readonly #running = new Set<Promise<void>>();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Yields a CSV table. The audit event is stored before the first byte is yielded. When the export ends, completely or not,
   * the number of yielded rows is added to the event. The client may have received fewer. An event without this number
   * belongs to an export whose process was killed, or that ended while the database was unavailable.
   */
  stream(options: AuditedExport): CsvChunks {
    const chunks = this.#audited(options);
    // The client has disconnected. After a failure the event has no number of rows.
    const stop = () => void chunks.return().catch(() => {});
    options.signal.addEventListener('abort', stop, { once: true });
    return chunks;
  }

  /** Resolves when the running exports have ended and their events are stored. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  async *#audited({ event, at, chunks, onRows }: AuditedExport): CsvChunks {
    const finish = this.#start();
    const record = this.#recorder(event, at);
    const counter = new CsvRowCounter();
    let started = false;
    let complete = false;
    let rows = 0;
    try {
      // When the export fails before the first byte, the response is a problem document and there is no event.
      let chunk = await chunks.next();
      await record({ complete: 'no' });
      started = true;
      while (chunk.done !== true) {
        const count = counter.count(chunk.value);
        rows += count;
        onRows?.(count);
        yield chunk.value;
        chunk = await chunks.next();
      }
      complete = true;
    } finally {
      const result = { rows: String(rows), complete: complete ? 'yes' : 'no' };
      await chunks
        .return()
        .finally(() => (started ? record(result) : undefined))
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
  #recorder(event: AuditedExport['event'], at: Date) {
    const id = randomId();
    return async (result: { readonly rows?: string; readonly complete: string }): Promise<void> => {
      const current = { ...event, details: { ...event.details, ...result } };
      await withScope(accountScope(event.accountId), () =>
        recordProgressIn(this.#database.prisma, id, current, at),
      );
    };
  }
}
