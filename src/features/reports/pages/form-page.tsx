import type { ComponentChildren } from 'preact';
import {
  describedBy,
  ErrorSummary,
  FieldError,
  type FormError,
  TextField,
} from '../../../platform/pages/form-parts.js';
import { CsrfField } from '../../../platform/pages/layout.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { type Crumb, SitePage } from '../../../platform/pages/site-page.js';
import type { Report } from '../report.js';
import { DefinitionFacts } from './definition-facts.js';
import { keyLabel, operatorWords, sortWords } from './labels.js';
import { fieldIds, lines, type ReportForm } from './report-form.js';
import type { ReportOptions } from './report-validator.js';
import { SelectField, SelectList } from './select-list.js';

/** Value of the button that adds a filter, and start of the value of the buttons that remove one. */
export const addFilter = 'add_filter';
export const removeFilter = 'remove_filter_';

/** The filters of a report, and the buttons that add and remove them. */
function FilterFields({
  form: { filters },
  options,
  rows,
  messages,
}: {
  form: ReportForm;
  options: ReportOptions;
  /** Number of filters to show, if the form has fewer. */
  rows: number;
  messages: ReadonlyMap<string, string>;
}) {
  const { maximum } = options;
  const count = Math.max(filters.length, Math.min(rows, maximum.filters));
  return (
    <fieldset aria-describedby="filters-hint">
      <legend>Filters</legend>
      <p class="hint" id="filters-hint">
        Employees must meet all of them. With “{operatorWords('in')}” and “{operatorWords('not_in')}”, enter
        each value on a line of its own, at most {maximum.values}. Write a date as 2026-01-31, and a time as
        2026-01-31T00:00:00Z.
      </p>
      {Array.from({ length: count }, (_, index) => (
        <FilterRow
          key={index}
          position={index + 1}
          filter={filters[index]}
          options={options}
          messages={messages}
        />
      ))}
      {count < maximum.filters ? (
        <button type="submit" name="do" value={addFilter} class="secondary">
          Add a filter
        </button>
      ) : (
        <p class="hint">A report has at most {maximum.filters} filters.</p>
      )}
    </fieldset>
  );
}

function FilterRow({
  position,
  filter = { field: '', operator: '', value: '' },
  options,
  messages,
}: {
  position: number;
  filter: ReportForm['filters'][number] | undefined;
  options: ReportOptions;
  messages: ReadonlyMap<string, string>;
}) {
  const id = (part: 'field' | 'operator' | 'value') => fieldIds.filter(position, part);
  const error = messages.get(id('value'));
  return (
    <fieldset class="filter" aria-label={`Filter ${position}`}>
      <SelectField
        id={id('field')}
        label="Attribute"
        value={filter.field}
        choices={options.columns.map((key) => ({ value: key, label: keyLabel(key) }))}
        error={messages.get(id('field'))}
        empty="Choose"
      />
      <SelectField
        id={id('operator')}
        label="Condition"
        value={filter.operator}
        choices={options.operators.map((key) => ({ value: key, label: operatorWords(key) }))}
        error={messages.get(id('operator'))}
      />
      <div class="field">
        <label for={id('value')}>Value</label>
        <FieldError field={id('value')} message={error} />
        <textarea
          id={id('value')}
          name={id('value')}
          rows={Math.min(lines(filter.value).length, 8)}
          autocomplete="off"
          spellcheck={false}
          {...describedBy(id('value'), { error: error !== undefined })}
        >
          {filter.value}
        </textarea>
      </div>
      <button
        type="submit"
        name="do"
        value={`${removeFilter}${position}`}
        class="quiet"
        aria-label={`Remove filter ${position}`}
      >
        Remove
      </button>
    </fieldset>
  );
}

export interface ReportFormPageProps {
  readonly context: PageContext;
  readonly title: string;
  /** The report that is edited. */
  readonly parent?: Crumb;
  readonly action: string;
  readonly back: string;
  /** Text of the button that saves. */
  readonly button: string;
  readonly form: ReportForm;
  readonly options: ReportOptions;
  /** Number of filters to show; more than the form has after "Add a filter". */
  readonly filterRows?: number;
  readonly errors?: readonly FormError[];
  /** Hidden field: `form` identifies a new form, `version` the version that is edited. */
  readonly hidden: { readonly form: string } | { readonly version: string };
  /** The saved report, when another user or application has changed it meanwhile. */
  readonly stored?: Report;
  readonly preview?: ComponentChildren;
}

/** Form that creates or changes a report. */
export function ReportFormPage(props: ReportFormPageProps) {
  const {
    context,
    title,
    parent,
    action,
    back,
    button,
    form,
    options,
    errors = [],
    hidden,
    stored,
    preview,
  } = props;
  const messages = new Map(errors.map((error) => [error.field, error.message]));
  return (
    <SitePage
      {...{ context, title, ...(parent && { parent }) }}
      hasErrors={errors.length > 0}
      section="reports"
    >
      <h1>{title}</h1>
      <ErrorSummary errors={errors} />
      {stored !== undefined && (
        <section>
          <h2>Saved values</h2>
          <DefinitionFacts report={stored} withText />
          <h2>Your values</h2>
        </section>
      )}
      {preview}
      <form method="post" action={action} noValidate class="fields report-form">
        <CsrfField token={context.csrfToken} />
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        {/* The Enter key submits a form with its first button, which must be the one that saves. */}
        <button type="submit" class="unseen" tabIndex={-1} aria-hidden="true">
          {button}
        </button>
        <TextField
          id={fieldIds.title}
          label="Title"
          value={form.title}
          autocomplete="off"
          error={messages.get(fieldIds.title)}
        />
        <DescriptionField value={form.description} error={messages.get(fieldIds.description)} />
        <KindField kind={form.kind} error={messages.get(fieldIds.kind('list'))} />
        <SelectList
          legend="Columns"
          hint="In this order. Without any, the report has all columns."
          label="Column"
          className="for-list"
          fieldId={fieldIds.column}
          values={form.columns}
          choices={options.columns.map((key) => ({ value: key, label: keyLabel(key) }))}
          maximum={options.maximum.columns}
          messages={messages}
        />
        <SelectList
          legend="Groups"
          hint="The report counts the employees with the same values."
          label="Group"
          className="for-groups"
          fieldId={fieldIds.group}
          values={form.groups}
          choices={options.groupKeys.map((key) => ({ value: key, label: keyLabel(key) }))}
          maximum={options.maximum.groups}
          messages={messages}
        />
        <FilterFields form={form} options={options} rows={props.filterRows ?? 0} messages={messages} />
        <SelectList
          legend="Order"
          hint="The second key orders the rows that are equal in the first, and so on. A report of counts is ordered by its groups and the count only."
          label="Order key"
          fieldId={fieldIds.sort}
          values={form.sort}
          choices={options.sortKeys.map((key) => ({ value: key, label: sortWords(key) }))}
          maximum={options.maximum.sort}
          messages={messages}
        />
        <div class="actions">
          <button type="submit">{button}</button>
          <button type="submit" name="do" value="preview" class="secondary">
            Preview
          </button>
          <a href={back}>Cancel</a>
        </div>
      </form>
    </SitePage>
  );
}

function DescriptionField({ value, error }: { value: string; error: string | undefined }) {
  const id = fieldIds.description;
  return (
    <div class="field">
      <label for={id}>Description (optional)</label>
      <FieldError field={id} message={error} />
      <textarea id={id} name={id} rows={2} {...describedBy(id, { error: error !== undefined })}>
        {value}
      </textarea>
    </div>
  );
}

const kinds = [
  ['list', 'A list of employees: one row for each'],
  ['groups', 'Counts by group, with a chart'],
] as const;

function KindField({ kind, error }: { kind: ReportForm['kind']; error: string | undefined }) {
  const id = fieldIds.kind('list');
  return (
    <fieldset {...describedBy(id, { error: error !== undefined })}>
      <legend>What the report shows</legend>
      <FieldError field={id} message={error} />
      {kinds.map(([value, label]) => (
        <label key={value} class="choice">
          <input type="radio" id={fieldIds.kind(value)} name="kind" value={value} checked={kind === value} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
