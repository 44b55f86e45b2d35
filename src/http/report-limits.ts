/** Limits of report runs and CSV downloads, each for one process. */
export interface ReportLimits {
  /** Runs as JSON of one account at the same time. */
  readonly runsPerAccount: number;
  /** CSV downloads of one account at the same time. */
  readonly downloadsPerAccount: number;
  /** CSV downloads of all accounts at the same time. */
  readonly downloadsPerProcess: number;
  /** Milliseconds that a request beyond these limits is queued. */
  readonly queueMs: number;
  /** Bytes of a CSV download that the client must take in each period of {@link ReportLimits.throughputPeriodMs}. */
  readonly minimumBytes: number;
  readonly throughputPeriodMs: number;
  /** Longest time that a CSV download takes. */
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
