import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { filledLines } from '../../../platform/pages/fields.js';
import { FieldError, Form, TextField, useDescription } from '../../../platform/pages/form-parts.js';
import type { MergedField } from '../../../platform/pages/merge.js';
import { keyOf } from '../report.js';
import { FilterList, formatSortKey, KeyLabels, keyLabel, SortLabels } from './definition.js';
import type { FilterChoices } from './filter-choices.js';
import { FilterFields } from './filter-fields.js';
import { isEmptyOperator } from './filter-operators.js';
import { KeyList } from './key-list.js';
import { buttons, type ReportForm, reportFieldIds } from './report-form.js';
import type { ReportOptions } from './report-validator.js';
import { PageColumns } from './value-text.js';

/** The parts of a report that several users and applications can change. */
export const mergedReportFields: readonly MergedField<ReportForm>[] = [
  { member: 'title', label: 'Title' },
  { member: 'description', label: 'Description' },
  {
    member: 'kind',
    label: 'What the report shows',
    id: reportFieldIds.kind('list'),
    show: ({ kind }) => kinds.find(([value]) => value === kind)?.[1],
  },
  {
    member: 'columns',
    label: 'Columns',
    id: reportFieldIds.next('column'),
    show: ({ columns }) => <KeyLabels keys={columns} />,
  },
  {
    member: 'groups',
    label: 'Groups',
    id: reportFieldIds.next('group'),
    show: ({ groups }) => <KeyLabels keys={groups} />,
  },
  {
    member: 'measures',
    label: 'Measures',
    id: reportFieldIds.next('measure'),
    show: ({ measures }) => <KeyLabels keys={measures} />,
  },
  {
    member: 'filters',
    label: 'Filters',
    id: reportFieldIds.next('filter'),
    show: ({ filters }) => (
      <FilterList
        filters={filters.map((filter) => ({
          ...filter,
          value: isEmptyOperator(filter.operator) ? [] : filledLines(filter.value),
        }))}
      />
    ),
  },
  {
    member: 'sort',
    label: 'Sort by',
    id: reportFieldIds.next('sort'),
    show: ({ sort }) => <SortLabels sort={sort} />,
  },
];

/** What reports are grouped by most often, and what has a different value for nearly every employee. */
const [usualGroups, unusualGroups] = [
  [
    ...['department', 'location', 'status', 'job_title', 'employed_month', 'tenure_band', 'hire_year'],
    ...['hire_month', 'termination_year', 'termination_month', 'manager_id'],
  ],
  ['employee_number', 'email'],
];

/** What integrations need rather than people. */
const technicalKeys: ReadonlySet<string> = new Set(['id', 'updated_at']);

/** Orders the keys of groups: the usual ones first, and the unusual ones last. */
function byUse(one: string, other: string): number {
  const rank = (key: string) => {
    const usual = usualGroups.indexOf(key);
    return usual >= 0 ? usual - usualGroups.length : unusualGroups.indexOf(key) + 1;
  };
  return rank(one) - rank(other);
}

/** Form that creates or changes a report. */
export function ReportFields({
  action,
  back,
  button,
  form,
  options,
  values,
  focus,
  nonce,
  preview,
}: {
  /** Default: the path of the page. */
  action?: string;
  back: string;
  /** Text of the button that saves. */
  button: string;
  form: ReportForm;
  options: ReportOptions;
  /** The values that filters offer. */
  values: FilterChoices;
  /** `id` of the element that has the focus when the page loads. */
  focus?: string | undefined;
  /** Identifies a new form. */
  nonce?: string;
  preview?: ComponentChildren;
}) {
  const { maximum } = options;
  const columns = useContext(PageColumns);
  const labelOf = (key: string) => keyLabel(key, columns);
  const sortLabelOf = (key: string) => formatSortKey(key, columns);
  const sorted = new Set(form.sort.map(keyOf));
  const choicesOf = (names: readonly string[], label: (key: string) => string) =>
    names.map((value) => ({ value, label: label(value), isTechnical: technicalKeys.has(keyOf(value)) }));
  const keys = (names: readonly string[], chosen: readonly string[] = []) =>
    choicesOf(
      names.filter((value) => !chosen.includes(value)),
      labelOf,
    );
  return (
    <div class="builder">
      <Form
        action={action}
        className="fields report-form"
        hidden={nonce === undefined ? [] : [['form', nonce]]}
        button={button}
        more={
          <button type="submit" name="do" value={buttons.preview} class="secondary">
            Preview
          </button>
        }
        cancel={back}
      >
        {/* The Enter key submits a form with its first button, which must be the one that saves. */}
        <button type="submit" class="unseen" tabIndex={-1} aria-hidden="true">
          {button}
        </button>
        <TextField id={reportFieldIds.title} label="Title" value={form.title} autocomplete="off" />
        <DescriptionField value={form.description} />
        <KindField kind={form.kind} />
        <KeyList
          list="column"
          legend="Columns"
          hint="In this order. Without any, the report has all columns."
          noun="column"
          className="for-list"
          values={form.columns}
          choices={keys(options.columns, form.columns)}
          label={labelOf}
          maximum={maximum.columns}
          focus={focus}
        />
        <KeyList
          list="group"
          legend="Groups"
          hint="The report counts the employees with the same values."
          noun="group"
          className="for-groups"
          values={form.groups}
          choices={keys(options.groupKeys.toSorted(byUse), form.groups)}
          label={labelOf}
          maximum={maximum.groups}
          focus={focus}
        />
        <KeyList
          list="measure"
          legend="Measures"
          hint="What the report computes for each group, besides the number of employees."
          noun="measure"
          className="for-groups"
          values={form.measures}
          choices={keys(options.measures, form.measures)}
          label={labelOf}
          maximum={maximum.measures}
          separate={0}
          focus={focus}
        />
        <FilterFields
          filters={form.filters}
          attributes={keys(options.columns)}
          values={values}
          maximum={maximum.filters}
          focus={focus}
        />
        <KeyList
          list="sort"
          legend="Sort by"
          hint={
            <>
              <span class="for-list">Without any, in the order in which the employees were added.</span>
              <span class="for-groups">
                By groups and measures of this report, and the number of employees.
              </span>
            </>
          }
          next="Then by"
          noun="sort order"
          values={form.sort}
          choices={choicesOf(
            [...options.sortKeys, ...form.measures.flatMap((key) => [key, `-${key}`])].filter(
              (key) => !sorted.has(keyOf(key)),
            ),
            sortLabelOf,
          )}
          label={sortLabelOf}
          maximum={maximum.sort}
          focus={focus}
        />
      </Form>
      <div id="preview">{preview}</div>
    </div>
  );
}

function DescriptionField({ value }: { value: string }) {
  const id = reportFieldIds.description;
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
  const id = reportFieldIds.kind('list');
  return (
    <fieldset {...useDescription(id)}>
      <legend>What the report shows</legend>
      <FieldError field={id} />
      {kinds.map(([value, label]) => (
        <label key={value} class="choice">
          <input
            type="radio"
            id={reportFieldIds.kind(value)}
            name="kind"
            value={value}
            checked={kind === value}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
