import { createHash } from 'node:crypto';
import type { Anchor } from '../../../platform/database/page-query.js';
import type { CustomValue } from '../../employees/index.js';
import type { ColumnDescription } from '../report-columns.js';
import type { ResultPlan } from './plan.js';

/** One row: its values in the order of the columns. */
export interface ResultRow {
  readonly id: string;
  readonly values: readonly (CustomValue | null)[];
}

/** A row as queries return it. */
export interface FoundRow {
  /** The values that are shown. */
  readonly shown: readonly (string | null)[];
  /** The values that identify the row. */
  readonly named: readonly (string | null)[];
  readonly anchor: Anchor;
}

/** Reads a row of a plan's query. */
export function toRow({ columns, name }: ResultPlan, { shown, named }: FoundRow): ResultRow {
  return {
    id: name.of === 'employee' ? (named[0] ?? '') : groupName(named),
    values: columns.map(({ type }, index) => {
      const text = shown[index] ?? null;
      return text === null ? null : toValue(text, type);
    }),
  };
}

const longestName = 1024;

function groupName(values: FoundRow['named']): string {
  const name = Buffer.from(JSON.stringify(values)).toString('base64url');
  return name.length <= longestName ? name : createHash('sha256').update(name).digest('base64url');
}

/** The value of a column in a row, from its text. */
function toValue(text: string, type: ColumnDescription['type']): CustomValue {
  switch (type) {
    case 'integer':
    case 'number':
      return Number(text);
    case 'boolean':
      return text === 'true';
    case 'list':
      return JSON.parse(text);
    default:
      return text;
  }
}
