import type { components } from '../../platform/contract/generated.js';
import type { ColumnDescription, ColumnType } from './column-description.js';
import { tenure } from './computed-keys.js';
import { type ColumnKey, columnOf, isCustomKey, type ReportColumns } from './report-columns.js';

/** What is computed from the values of a group. */
export type MeasureFunction = components['schemas']['ReportMeasureFunctionInput'];

/** A column, or the tenure. */
export type MeasureField = ColumnKey | typeof tenure.key;

/** A value that a grouped report computes for each group. */
export interface Measure {
  readonly function: MeasureFunction;
  readonly field: MeasureField;
}

const functions: Readonly<Record<MeasureFunction, string>> = {
  sum: 'Sum',
  average: 'Average',
  minimum: 'Minimum',
  maximum: 'Maximum',
};

const measureFunctions = Object.keys(functions) as readonly MeasureFunction[];

/** The dates of the contract that measures can have as a field. */
const contractDates: readonly string[] = ['hire_date', 'termination_date'];

/** The key of the column of a measure. */
export function measureKey({ function: name, field }: Measure): string {
  return `${name}_${field}`;
}

/** The measure with a key, whose field need not exist; `undefined` for another key. */
export function measureOf(key: string): Measure | undefined {
  const name = measureFunctions.find((name) => key.startsWith(`${name}_`));
  return name && { function: name, field: key.slice(name.length + 1) as MeasureField };
}

/** The column of a measure in results. */
export function describeMeasure(measure: Measure, columns: ReportColumns): ColumnDescription {
  const { field } = measure;
  const { type } = field === tenure.key ? tenure : columnOf(field, columns);
  return { key: measureKey(measure), label: measureLabel(measure, columns), type };
}

/** A measure as text, such as "Average of Tenure (years)". A field that does not exist is as it was entered. */
export function measureLabel({ function: name, field }: Measure, columns: ReportColumns): string {
  const { label } = field === tenure.key ? tenure : (columns.get(field) ?? { label: field });
  return `${functions[name]} of ${label}`;
}

/** Whether measures can have a function of values of a type. */
export function suitsFunction(name: MeasureFunction, type: ColumnType): boolean {
  return type === 'number' || (type === 'date' && (name === 'minimum' || name === 'maximum'));
}

/** The fields of measures that a reader with these columns can choose, with their types. */
export function measureFields(columns: ReportColumns): readonly ColumnDescription[] {
  const measured = [...columns.values()].filter(({ key, type }) =>
    isCustomKey(key) ? suitsFunction('minimum', type) : contractDates.includes(key),
  );
  return [tenure, ...measured];
}

/** The measures that a reader with these columns can choose. */
export function availableMeasures(columns: ReportColumns): readonly Measure[] {
  const fields = measureFields(columns);
  return measureFunctions.flatMap((name) =>
    fields
      .filter(({ type }) => suitsFunction(name, type))
      .map(({ key }) => ({ function: name, field: key as MeasureField })),
  );
}

/** Whether a reader with these columns can choose a measure. */
export function isAvailable(measure: Measure, columns: ReportColumns): boolean {
  const field = measureFields(columns).find(({ key }) => key === measure.field);
  return field !== undefined && suitsFunction(measure.function, field.type);
}
