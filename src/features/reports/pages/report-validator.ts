import type { ErrorObject } from 'ajv';
import type { Contract } from '../../../platform/contract/contract.js';
import type { components } from '../../../platform/contract/generated.js';
import { createBodyValidation } from '../../../platform/contract/validator.js';
import { isUnchanged } from '../../../platform/pages/fields.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import { invalidValues } from '../../../platform/problems/describe-validation.js';
import { type DefinitionError, findDefinitionErrors } from '../definition-rules.js';
import type { ReportContent } from '../report.js';
import { newContent } from '../report-changes.js';
import { toChanges } from '../report-documents.js';
import { toFormErrors } from './form-errors.js';
import { fieldIds, lines, type ReportForm } from './report-form.js';
import { inlinedSchema, type ReportOptions, readReportOptions } from './report-schemas.js';

type Request = components['schemas']['ReportCreateRequest'];

/**
 * Returns the content of a report that a form describes, or the errors of the form. The stored title of a report that exists is
 * valid.
 */
export interface ReportValidator {
  (
    form: ReportForm,
    stored?: { readonly title: string },
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
  const validate: (...given: Parameters<ReportValidator>) => ReturnType<ReportValidator> = (form, stored) => {
    const { kind } = form;
    if (kind === '') {
      return { errors: [{ field: fieldIds.kind('list'), message: 'Choose what the report shows.' }] };
    }
    const body = toRequest(form);
    const keptTitle = stored && isUnchanged(form.title, stored.title) ? stored.title : undefined;
    const findings = validations[kind](body).filter(
      ({ instancePath }) => keptTitle === undefined || instancePath !== '/title',
    );
    if (findings.length > 0) return { errors: toFormErrors(errorsOf(findings), form) };
    const { title } = body as Request;
    const content = newContent({ ...toChanges(body as Request), title: keptTitle ?? title });
    const errors = findDefinitionErrors(content);
    return errors.length > 0 ? { errors: toFormErrors(errors, form) } : { content };
  };
  return Object.assign(validate, { options: readReportOptions(contract) });
}

/** The body of the request that creates the report. */
function toRequest({ title, description, kind, columns, groups, sort, filters }: ReportForm): unknown {
  return {
    title,
    description: description === '' ? null : description,
    filters: filters.map(({ field, operator, value }) => ({
      field,
      operator,
      value: operator === 'in' || operator === 'not_in' ? lines(value).filter((line) => line !== '') : value,
    })),
    sort: [...sort],
    ...(kind === 'groups' ? { group_by: [...groups] } : columns.length > 0 && { columns: [...columns] }),
  };
}

/** Locations and rules of the findings of the validator. */
function errorsOf(findings: readonly ErrorObject[]): DefinitionError[] {
  return invalidValues(findings, 'body').map(({ place, violation }) => ({
    path: 'pointer' in place ? place.pointer.split('/').slice(1) : [],
    violation,
  }));
}
