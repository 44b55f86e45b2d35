import { query } from '../../kit/database/postgresql.js';

/**
 * Counts the reads of reports on standbys, by the scans of their table: each operation scans it once. PostgreSQL starts again
 * at 0 after a crash, and sessions report their counts with a delay of a second.
 */
export class ReadCounts {
  readonly #urls: readonly string[];
  readonly #counts: number[];
  readonly #last: (number | undefined)[];

  /** @param urls of a database on each standby */
  constructor(urls: readonly string[]) {
    this.#urls = urls;
    this.#counts = urls.map(() => 0);
    this.#last = urls.map(() => undefined);
  }

  /** Reads of each standby since the first sample. */
  get counts(): readonly number[] {
    return this.#counts;
  }

  /** Adds the counts since the last sample. All standbys must be available. */
  async sample(): Promise<void> {
    await Promise.all(
      this.#urls.map(async (url, index) => {
        const [{ scans }] = await query(
          url,
          "SELECT (seq_scan + coalesce(idx_scan, 0))::int AS scans FROM pg_stat_user_tables WHERE relname = 'reports'",
        );
        const last = this.#last[index];
        if (last !== undefined) this.#counts[index] += scans < last ? scans : scans - last;
        this.#last[index] = scans;
      }),
    );
  }
}
