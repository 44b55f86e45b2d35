/** Milliseconds on the machine's monotonic clock, which is the same one in every process and in profiles. */
export function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}
