import type { ComponentChildren } from 'preact';
import { FieldError, Form, TextField, useDescription } from '../../../platform/pages/form-parts.js';
import type { Report } from '../report.js';
import { DefinitionDescription, formatOperator, formatSortKey, keyLabel } from './definition.js';
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
}: {
  form: ReportForm;
  options: ReportOptions;
  /** Number of filters to show, if the form has fewer. */
  rows: number;
}) {
  const { maximum } = options;
  const count = Math.max(filters.length, Math.min(rows, maximum.filters));
  return (
    <fieldset aria-describedby="filters-hint">
      <legend>Filters</legend>
      <p class="hint" id="filters-hint">
        Employees must meet all of them. With “{formatOperator('in')}” and “{formatOperator('not_in')}”, enter
        each value on a line of its own, at most {maximum.values}. Write a date as 2026-01-31, and a time as
        2026-01-31T00:00:00Z.
      </p>
      {Array.from({ length: count }, (_, index) => (
        <FilterRow key={index} position={index + 1} filter={filters[index]} options={options} />
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
}: {
  position: number;
  filter: ReportForm['filters'][number] | undefined;
  options: ReportOptions;
}) {
  const id = (part: 'field' | 'operator' | 'value') => fieldIds.filter(position, part);
  return (
    <fieldset class="filter" aria-label={`Filter ${position}`}>
      <SelectField
        id={id('field')}
        label="Attribute"
        value={filter.field}
        choices={options.columns.map((key) => ({ value: key, label: keyLabel(key) }))}
        empty="Choose"
      />
      <SelectField
        id={id('operator')}
        label="Condition"
        value={filter.operator}
        choices={options.operators.map((key) => ({ value: key, label: formatOperator(key) }))}
      />
      <div class="field">
        <label for={id('value')}>Value</label>
        <FieldError field={id('value')} />
        <textarea
          id={id('value')}
          name={id('value')}
          rows={Math.min(lines(filter.value).length, 8)}
          autocomplete="off"
          spellcheck={false}
          {...useDescription(id('value'))}
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

/** Form that creates or changes a report. */
export function ReportFields({
  action,
  back,
  button,
  form,
  options,
  filterRows = 0,
  hidden,
  stored,
  preview,
}: {
  /** Default: the path of the page. */
  action?: string;
  back: string;
  /** Text of the button that saves. */
  button: string;
  form: ReportForm;
  options: ReportOptions;
  /** Number of filters to show, if the form has fewer. */
  filterRows?: number;
  /** Hidden field: `form` identifies a new form, `version` the version that is edited. */
  hidden: readonly ['form' | 'version', string];
  /** The saved report, when another user or application has changed it meanwhile. */
  stored?: Report;
  preview?: ComponentChildren;
}) {
  return (
    <>
      {stored !== undefined && (
        <section>
          <h2>Saved values</h2>
          <DefinitionDescription report={stored} withText />
          <h2>Your values</h2>
        </section>
      )}
      {preview}
      <Form
        action={action}
        className="fields report-form"
        hidden={[hidden]}
        button={button}
        more={
          <button type="submit" name="do" value="preview" class="secondary">
            Preview
          </button>
        }
        cancel={back}
      >
        {/* The Enter key submits a form with its first button, which must be the one that saves. */}
        <button type="submit" class="unseen" tabIndex={-1} aria-hidden="true">
          {button}
        </button>
        <TextField id={fieldIds.title} label="Title" value={form.title} autocomplete="off" />
        <DescriptionField value={form.description} />
        <KindField kind={form.kind} />
        <SelectList
          legend="Columns"
          hint="In this order. Without any, the report has all columns."
          label="Column"
          className="for-list"
          fieldId={fieldIds.column}
          values={form.columns}
          choices={options.columns.map((key) => ({ value: key, label: keyLabel(key) }))}
          maximum={options.maximum.columns}
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
        />
        <FilterFields form={form} options={options} rows={filterRows} />
        <SelectList
          legend="Order"
          hint="The second key orders the rows that are equal in the first, and so on. A report of counts is ordered by its groups and the count only."
          label="Order key"
          fieldId={fieldIds.sort}
          values={form.sort}
          choices={options.sortKeys.map((key) => ({ value: key, label: formatSortKey(key) }))}
          maximum={options.maximum.sort}
        />
      </Form>
    </>
  );
}

function DescriptionField({ value }: { value: string }) {
  const id = fieldIds.description;
  return (
    <div class="field">
      <label for={id}>Description (optional)</label>
      <FieldError field={id} />
      <textarea id={id} name={id} rows={2} {...useDescription(id)}>
        {value}
      </textarea>
    </div>
  );
}

const kinds = [
  ['list', 'A list of employees: one row for each'],
  ['groups', 'Counts by group, with a chart'],
] as const;

function KindField({ kind }: { kind: ReportForm['kind'] }) {
  const id = fieldIds.kind('list');
  return (
    <fieldset {...useDescription(id)}>
      <legend>What the report shows</legend>
      <FieldError field={id} />
      {kinds.map(([value, label]) => (
        <label key={value} class="choice">
          <input type="radio" id={fieldIds.kind(value)} name="kind" value={value} checked={kind === value} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
