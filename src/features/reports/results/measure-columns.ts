import { Prisma } from '../../../platform/database/client.js';
import { dateExpression } from '../../../platform/database/page-query.js';
import { type ColumnOrder, columnOrder } from '../../employees/index.js';
import { tenure } from '../computed-keys.js';
import { describeMeasure, type Measure, type MeasureFunction } from '../measures.js';
import type { ColumnDescription, ReportColumns } from '../report-columns.js';

/** A measure as a column of a result. */
interface MeasureColumn extends ColumnDescription {
  /** The expression that is computed for each group. */
  readonly aggregate: Prisma.Sql;
  /** The expression for its value as text, in a query of the groups. */
  readonly shown: Prisma.Sql;
  /** Terms that order groups by it. */
  readonly order: ColumnOrder;
}

const aggregates: Readonly<Record<MeasureFunction, Prisma.Sql>> = {
  sum: Prisma.sql`sum`,
  average: Prisma.sql`avg`,
  minimum: Prisma.sql`min`,
  maximum: Prisma.sql`max`,
};

/** Digits of an average after the decimal point. */
const decimals = { tenure: 2, custom: 4 } as const;

/**
 * The column of a measure. The aggregate functions ignore NULL, and are NULL without a value.
 *
 * @param value expression for the value of an employee
 * @param position of the measure in the definition, from 0
 */
export function measureColumn(
  measure: Measure,
  { value, position, columns }: { value: Prisma.Sql; position: number; columns: ReportColumns },
): MeasureColumn {
  const description = describeMeasure(measure, columns);
  const isDate = description.type === 'date';
  const found = Prisma.sql`${aggregates[measure.function]}(${value})`;
  const digits = Prisma.raw(String(measure.field === tenure.key ? decimals.tenure : decimals.custom));
  const rounded = measure.function === 'average' ? Prisma.sql`round(${found}, ${digits})` : found;
  const name = Prisma.raw(`groups.aggregate_${position}`);
  return {
    ...description,
    // Zeros at the end would differ between JSON and CSV.
    aggregate: isDate ? found : Prisma.sql`trim_scale(${rounded})`,
    shown: isDate ? dateExpression(name) : Prisma.sql`${name}::text`,
    order: columnOrder(name, { type: isDate ? 'date' : 'numeric', nullable: true }),
  };
}
