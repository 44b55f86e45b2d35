import type { IdempotentOutcome } from '../../platform/idempotency/idempotency.js';
import type { DefinitionError } from './definition-rules.js';
import type { Report } from './report.js';

export type CreatedReport =
  | IdempotentOutcome
  | { readonly kind: 'invalid'; readonly errors: readonly DefinitionError[] }
  /** The account has reached its limit of reports. */
  | { readonly kind: 'quota_exceeded'; readonly limit: number }
  /** The application was deleted after it authenticated. */
  | { readonly kind: 'application_deleted' };

export type CreatedThroughForm =
  | { readonly kind: 'created'; readonly id: string }
  /** The same form has already created this report. */
  | { readonly kind: 'repeated'; readonly id: string }
  | Extract<CreatedReport, { kind: 'invalid' | 'quota_exceeded' }>;

export type UpdatedReport =
  | { readonly kind: 'updated'; readonly report: Report }
  | { readonly kind: 'unknown' }
  /** The stored version does not meet the precondition. */
  | { readonly kind: 'changed_meanwhile' }
  | { readonly kind: 'invalid'; readonly errors: readonly DefinitionError[] };

export type DeletedReport = 'deleted' | 'unknown' | 'changed_meanwhile';

/** Rolls back the creation of a report when its application was deleted. */
export class ApplicationDeletedError extends Error {
  override readonly name = 'ApplicationDeletedError';
}
