import { invalidParameter } from '../problems/problem.js';

const earliest = Date.UTC(1900, 0, 1);
const latest = Date.UTC(10_000, 0, 1);

/** Whether a value is a moment in the years that the service takes, as RFC 3339 text. */
export function isMoment(value: unknown): value is string {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return time >= earliest && time < latest;
}

/** Whether a value is a moment exactly as the service writes it. */
export function isOwnMoment(value: unknown): value is string {
  return isMoment(value) && new Date(value).toISOString() === value;
}

/**
 * Reads a `date-time` parameter. The contract's format lets leap seconds and the year 0 pass, which neither
 * our clock nor the database knows.
 *
 * @throws {Problem} 400 `invalid_request`
 */
export function parseMoment(parameter: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  if (!isMoment(text)) throw invalidParameter(parameter, 'must be a moment between the years 1900 and 9999');
  return new Date(text);
}
