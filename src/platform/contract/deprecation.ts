import type { RawOperation } from './document.js';

/** Headers of the responses of a deprecated operation. */
export interface DeprecationHeaders {
  /** Date of the deprecation, as `@` and seconds since 1970. @see RFC 9745 section 2.1 */
  readonly deprecation: string;
  /** Date of the removal, as an HTTP date. @see RFC 8594 section 3 */
  readonly sunset: string;
}

const dayMilliseconds = 86_400_000;

/**
 * Reads `deprecated`, `x-deprecated-since` and `x-sunset` (dates such as 2027-01-31) of an operation; `null` when the
 * operation is not deprecated.
 *
 * @param noticeDays minimum number of days between the two dates
 * @throws {Error} when a deprecated operation lacks one of the dates, or its notice is too short
 */
export function readDeprecation(operation: RawOperation, noticeDays: number): DeprecationHeaders | null {
  if (operation.deprecated !== true) return null;
  const since = Date.parse(operation['x-deprecated-since'] ?? '');
  const sunset = Date.parse(operation['x-sunset'] ?? '');
  if (!(sunset - since >= noticeDays * dayMilliseconds)) {
    throw new Error(
      `${operation.operationId} is deprecated: its x-sunset must be ${noticeDays} days or more after its x-deprecated-since`,
    );
  }
  return { deprecation: `@${since / 1000}`, sunset: new Date(sunset).toUTCString() };
}
