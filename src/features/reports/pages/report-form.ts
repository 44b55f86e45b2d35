import type { Fields } from '../../../platform/pages/fields.js';
import type { Report, ReportContent } from '../report.js';

/** A filter as it was entered. */
export interface FilterForm {
  readonly field: string;
  readonly operator: string;
  /** A list has one value on each line. */
  readonly value: string;
}

/** The submitted form of a report, valid or not. */
export interface ReportForm {
  readonly title: string;
  readonly description: string;
  /** One row for each employee, or for each group; empty when none was selected. */
  readonly kind: 'list' | 'groups' | '';
  readonly columns: readonly string[];
  readonly groups: readonly string[];
  readonly sort: readonly string[];
  readonly filters: readonly FilterForm[];
}

/** Initial values of the form for a new report. */
export const emptyForm: ReportForm = {
  title: '',
  description: '',
  kind: 'list',
  columns: [],
  groups: [],
  sort: [],
  filters: [],
};

/** `id` of each field, which is also its name. Positions start at 1. */
export const fieldIds = {
  title: 'title',
  description: 'description',
  kind: (kind: 'list' | 'groups') => `kind_${kind}`,
  column: (position: number) => `column_${position}`,
  group: (position: number) => `group_${position}`,
  sort: (position: number) => `sort_${position}`,
  filter: (position: number, part: keyof FilterForm) => `filter_${position}_${part}`,
} as const;

/** Reads the fields of the form and ignores all others. Fields without a value are skipped. */
export function readReportForm(form: Fields): ReportForm {
  const kind = form.text('kind');
  return {
    title: form.text(fieldIds.title),
    description: lines(form.text(fieldIds.description)).join('\n'),
    kind: kind === 'list' || kind === 'groups' ? kind : '',
    columns: readList(form, /^column_([1-9]\d{0,2})$/, fieldIds.column),
    groups: readList(form, /^group_([1-9]\d{0,2})$/, fieldIds.group),
    sort: readList(form, /^sort_([1-9]\d{0,2})$/, fieldIds.sort),
    filters: positions(form, /^filter_([1-9]\d{0,2})_(?:field|value)$/).map((position) => ({
      field: form.text(fieldIds.filter(position, 'field')),
      operator: form.text(fieldIds.filter(position, 'operator')),
      value: form.text(fieldIds.filter(position, 'value')),
    })),
  };
}

/** The form with the stored values. */
export function storedForm(report: Pick<Report, keyof ReportContent>): ReportForm {
  return {
    title: report.title,
    description: report.description ?? '',
    kind: report.groupBy.length > 0 ? 'groups' : 'list',
    columns: report.columns,
    groups: report.groupBy,
    sort: report.sort,
    filters: report.filters.map(({ field, operator, value }) => ({
      field,
      operator,
      value: [value].flat().join('\n'),
    })),
  };
}

/** The lines of a text, without the spaces around them. */
export function lines(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map((line) => line.trim());
}

function readList(form: Fields, pattern: RegExp, name: (position: number) => string): string[] {
  return positions(form, pattern)
    .map((position) => form.text(name(position)))
    .filter((value) => value !== '');
}

/** Positions of the fields whose names match, in ascending order. A form has at most 100 fields. */
function positions(form: Fields, pattern: RegExp): number[] {
  const found = form.entries().flatMap(([name]) => {
    const position = pattern.exec(name)?.[1];
    return position === undefined ? [] : [Number(position)];
  });
  return [...new Set(found)].sort((one, other) => one - other);
}
