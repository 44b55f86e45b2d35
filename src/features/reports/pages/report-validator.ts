import type { ErrorObject } from 'ajv';
import { type Contract, resolve } from '../../../platform/contract/contract.js';
import type { components } from '../../../platform/contract/generated.js';
import { isDateText } from '../../../platform/contract/outside-text.js';
import { createBodyValidation } from '../../../platform/contract/validator.js';
import { isUnchanged, lines } from '../../../platform/pages/fields.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import { invalidValues } from '../../../platform/problems/describe-validation.js';
import { type DefinitionError, findDefinitionErrors, findUnknownKeys } from '../definition-rules.js';
import { availableMeasures, measureKey, measureOf } from '../measures.js';
import { timestampOfDay } from '../relative-dates.js';
import { newContent, type ReportContent } from '../report.js';
import {
  contractColumns,
  hasEmployees,
  isGroupable,
  isSortable,
  type ReportColumns,
} from '../report-columns.js';
import { toChanges } from '../report-handlers.js';
import { isWrongDistance } from './date-values.js';
import { isDateFilter, isEmptyOperator, isListOperator, isOneOperator } from './filter-operators.js';
import { type FilterForm, type ReportForm, reportFieldIds, toFormErrors } from './report-form.js';

/** Values and limits of the parts of a report, from the contract. */
export interface ReportOptions {
  readonly columns: readonly string[];
  readonly groupKeys: readonly string[];
  /** Keys of measures. */
  readonly measures: readonly string[];
  readonly sortKeys: readonly string[];
  readonly maximum: {
    readonly columns: number;
    readonly groups: number;
    readonly measures: number;
    readonly sort: number;
    readonly filters: number;
  };
}

/** Reads the values and limits of the parts of a report. */
function readReportOptions({ document }: Contract): ReportOptions {
  const { schemas } = document.components;
  const values = (name: string) => (schemas[name]?.enum ?? []).map(String);
  const items = (name: string) => {
    const { maxItems } = schemas[name] ?? {};
    if (typeof maxItems !== 'number') throw new Error('The contract must limit the parts of a report');
    return maxItems;
  };
  return {
    columns: values('ReportColumnInput'),
    groupKeys: values('ReportGroupKeyInput'),
    measures: availableMeasures(contractColumns).map(measureKey),
    sortKeys: values('ReportSortKey'),
    maximum: {
      columns: items('ReportColumnInputs'),
      groups: items('ReportGroupingInput'),
      measures: items('ReportMeasureInputs'),
      sort: items('ReportSortKeys'),
      filters: items('ReportFilterInputs'),
    },
  };
}

/** The values and limits for a user who has these columns. */
export function optionsWith(options: ReportOptions, columns: ReportColumns): ReportOptions {
  const custom = [...columns.values()].filter((column) => column.custom !== undefined);
  if (custom.length === 0) return options;
  const sorted = custom.filter(isSortable).flatMap(({ key }) => [key, `-${key}`]);
  return {
    ...options,
    columns: [...options.columns, ...custom.map(({ key }) => key)],
    groupKeys: [...options.groupKeys, ...custom.filter(isGroupable).map(({ key }) => key)],
    measures: availableMeasures(columns).map(measureKey),
    sortKeys: [...options.sortKeys, ...sorted],
  };
}

/** A schema of the contract with all of its `$ref`s replaced. It must not be recursive. */
function inlinedSchema({ document }: Contract, name: string): unknown {
  const inlined = (node: unknown): unknown => {
    const target = resolve<unknown>(document, node);
    if (Array.isArray(target)) return target.map(inlined);
    if (typeof target !== 'object' || target === null) return target;
    return Object.fromEntries(Object.entries(target).map(([key, value]) => [key, inlined(value)]));
  };
  return inlined(document.components.schemas[name]);
}

type Request = components['schemas']['ReportCreateRequest'];

/**
 * Returns the content of a report that a form describes, or the errors of the form. The stored title of a report that exists is
 * valid.
 */
interface ReportValidator {
  (
    form: ReportForm,
    context: {
      /** The columns of the user. */
      readonly columns: ReportColumns;
      /** The report that the form changes. */
      readonly stored?: { readonly title: string } | undefined;
    },
  ): { readonly content: ReportContent; readonly errors?: never } | { readonly errors: readonly FormError[] };
  /** Values and limits of the parts of a report. */
  readonly options: ReportOptions;
}

/** Validates the form as the API does for the same report. */
export function createReportValidator(contract: Contract): ReportValidator {
  const validations = {
    list: createBodyValidation(() => inlinedSchema(contract, 'ListReportCreateRequest')),
    groups: createBodyValidation(() => inlinedSchema(contract, 'GroupedReportCreateRequest')),
  };
  const validate: (...given: Parameters<ReportValidator>) => ReturnType<ReportValidator> = (
    form,
    { columns, stored },
  ) => {
    const { kind } = form;
    if (kind === '') {
      return { errors: [{ field: reportFieldIds.kind('list'), message: 'Choose what the report shows.' }] };
    }
    const incomplete = form.filters.flatMap((filter, index) => incompleteValue(filter, index + 1, columns));
    if (incomplete.length > 0) return { errors: incomplete };
    const body = toRequest(form, columns);
    const keptTitle = stored && isUnchanged(form.title, stored.title) ? stored.title : undefined;
    const findings = validations[kind](body).filter(
      ({ instancePath }) => keptTitle === undefined || instancePath !== '/title',
    );
    if (findings.length > 0) return { errors: toFormErrors(errorsOf(findings), { form, columns }) };
    const { title } = body as Request;
    const content = newContent({ ...toChanges(body as Request), title: keptTitle ?? title });
    const unknown = findUnknownKeys(content, columns);
    const errors = unknown.length > 0 ? unknown : findDefinitionErrors(content, columns);
    return errors.length > 0 ? { errors: toFormErrors(errors, { form, columns }) } : { content };
  };
  return Object.assign(validate, { options: readReportOptions(contract) });
}

/** The error of a filter whose value is not one value, which the API would not describe in the words of the form. */
function incompleteValue(filter: FilterForm, position: number, columns: ReportColumns): FormError[] {
  const { field, operator, value } = filter;
  if (isListOperator(operator) || isEmptyOperator(operator)) return [];
  const error = (part: 'value' | 'days', message: string) => [
    { field: reportFieldIds.filter(position, part), message: `Filter ${position}: ${message}` },
  ];
  if (lines(value).length > 1) return error('value', 'enter one value.');
  if (field === 'manager_id' && value === '') return error('value', 'choose a manager.');
  if (hasEmployees(field, columns) && value === '') return error('value', 'choose an employee.');
  if (field === 'status' && isOneOperator(operator) && value === '')
    return error('value', 'choose a status.');
  if (columns.get(field)?.type === 'boolean' && value === '') return error('value', 'choose Yes or No.');
  if (!isDateFilter(filter, columns)) return [];
  if (value === '') return error('value', 'enter a date.');
  return isWrongDistance(value) ? error('days', 'enter a number of days from 1 to 99,999.') : [];
}

/** The body of the request that creates the report. */
function toRequest(
  { title, description, kind, columns, groups, measures, sort, filters }: ReportForm,
  columnsOfUser: ReportColumns,
): unknown {
  return {
    title,
    description: description === '' ? null : description,
    filters: filters.map(({ field, operator, value }) => {
      const isTimestamp = columnsOfUser.get(field)?.type === 'date_time';
      const values = lines(value).map((text) =>
        isTimestamp && isDateText(text) ? timestampOfDay(text, operator) : text,
      );
      if (isEmptyOperator(operator)) return { field, operator };
      return {
        field,
        operator,
        value: isListOperator(operator) ? values.filter((line) => line !== '') : values[0],
      };
    }),
    sort: [...sort],
    ...(kind === 'groups'
      ? {
          group_by: [...groups],
          measures: measures.map((key) => measureOf(key) ?? { function: key, field: '' }),
        }
      : columns.length > 0 && { columns: [...columns] }),
  };
}

/** Locations and rules of the findings of the validator. */
function errorsOf(findings: readonly ErrorObject[]): DefinitionError[] {
  return invalidValues(findings, 'body').map(({ place, violation }) => ({
    path: 'pointer' in place ? place.pointer.split('/').slice(1) : [],
    violation,
  }));
}
