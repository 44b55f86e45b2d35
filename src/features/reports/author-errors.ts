import type { CallerAuditContext } from '../../platform/audit/audit-log.js';
import type { Unit } from '../../platform/changes/change.js';
import type { AttributeAccess } from '../../platform/contract/attribute-access.js';
import { readColumnsFor } from './account-columns.js';
import { type DefinitionError, findDefinitionErrors, findUnknownKeys } from './definition-rules.js';
import type { ReportChanges, ReportContent } from './report.js';

/** Rolls back the creation of a report whose definition is invalid. */
export class InvalidDefinitionError extends Error {
  override readonly name = 'InvalidDefinitionError';
  readonly errors: readonly DefinitionError[];

  constructor(errors: readonly DefinitionError[]) {
    super('The definition of the report is invalid');
    this.errors = errors;
  }
}

/**
 * Finds the errors of a definition for its author: unknown keys in what the author has given, or else inconsistencies of the whole.
 *
 * @param given the members that the author has given; others can have keys that the author does not have
 */
export async function findErrors(
  { tx, context: { accountId } }: Unit<CallerAuditContext>,
  { content, given, access }: { content: ReportContent; given: ReportChanges; access: AttributeAccess },
): Promise<readonly DefinitionError[]> {
  const columns = await readColumnsFor(tx, { accountId, access }, [content]);
  const unknown = findUnknownKeys(given, columns);
  return unknown.length > 0 ? unknown : findDefinitionErrors(content, columns);
}
