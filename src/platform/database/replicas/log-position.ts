/**
 * A position in the write-ahead log of PostgreSQL, which is written as two hexadecimal numbers, such as `16/B374D848`.
 * Later positions are greater.
 */
export type LogPosition = bigint;

/** Before every other position. */
export const logStart: LogPosition = 0n;

/** Parses a position; `null` is {@link logStart}. */
export function toLogPosition(text: string | null | undefined): LogPosition {
  if (text === null || text === undefined) return logStart;
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
