import type { RecordMember } from '../../employees/index.js';

/** An error of the assignment of attributes to columns, and the position of the column. */
export interface ColumnError {
  readonly column: number;
  readonly message: string;
}

/** Errors of an assignment of attributes to the columns of a file. */
export function checkColumns(
  assigned: readonly string[],
  attributes: readonly Pick<RecordMember, 'name' | 'label' | 'nullable'>[],
): ColumnError[] {
  const known = new Map(attributes.map((attribute) => [attribute.name as string, attribute]));
  const seen = new Set<string>();
  const errors: ColumnError[] = [];
  for (const [column, name] of assigned.entries()) {
    if (name === '') continue;
    const attribute = known.get(name);
    if (attribute === undefined) errors.push({ column, message: 'Choose an attribute from the list.' });
    else if (seen.has(name))
      errors.push({ column, message: `Two columns are assigned to ${attribute.label}. Keep one.` });
    seen.add(name);
  }
  const missing = attributes.filter(({ name, nullable }) => !nullable && !seen.has(name));
  if (missing.length > 0) {
    const labels = missing.map(({ label }) => label).join(', ');
    errors.push({ column: 0, message: `Assign a column to each required attribute. Missing: ${labels}.` });
  }
  return errors;
}
