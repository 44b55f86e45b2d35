/** Milliseconds of the monotonic clock of the machine, which is the same in all processes and in profiles. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
