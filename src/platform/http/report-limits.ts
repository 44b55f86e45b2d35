/** Limits of report runs and CSV downloads, each for one process. */
export interface ReportLimits {
  /** Concurrent runs of one account. */
  readonly runsPerAccount: number;
  /** Concurrent CSV downloads of one account. */
  readonly downloadsPerAccount: number;
  /** Concurrent CSV downloads of all accounts. */
  readonly downloadsPerProcess: number;
  /** Milliseconds for which a request above these limits is queued. */
  readonly queueMs: number;
  /** Bytes of a CSV download that the client must read in each period of {@link ReportLimits.throughputPeriodMs}. */
  readonly minimumBytes: number;
  readonly throughputPeriodMs: number;
  /** Maximum duration of a CSV download, in milliseconds. */
  readonly downloadMs: number;
}

export const defaultReportLimits: ReportLimits = {
  runsPerAccount: 2,
  downloadsPerAccount: 2,
  downloadsPerProcess: 20,
  queueMs: 5_000,
  minimumBytes: 64 * 1024,
  throughputPeriodMs: 60_000,
  downloadMs: 30 * 60_000,
};
