import type { IdempotentOutcome } from '../idempotency/idempotency.js';
import type { DefinitionError } from './definition-rules.js';
import type { Report } from './report.js';

export type CreatedReport =
  | IdempotentOutcome
  | { readonly kind: 'invalid'; readonly errors: readonly DefinitionError[] }
  /** The account has as many reports as it may have. */
  | { readonly kind: 'quota_exceeded'; readonly limit: number }
  /** The application was deleted after it had authenticated. */
  | { readonly kind: 'application_deleted' };

export type UpdatedReport =
  | { readonly kind: 'updated'; readonly report: Report }
  | { readonly kind: 'unknown' }
  /** The version is not one that the change was meant for. */
  | { readonly kind: 'changed_meanwhile' }
  | { readonly kind: 'invalid'; readonly errors: readonly DefinitionError[] };

export type DeletedReport = 'deleted' | 'unknown' | 'changed_meanwhile';

/** Rolls back the creation of a report by an application that was deleted. */
export class ApplicationDeletedError extends Error {
  override readonly name = 'ApplicationDeletedError';
}
