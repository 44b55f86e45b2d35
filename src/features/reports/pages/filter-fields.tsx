import { useContext } from 'preact/hooks';
import { FieldError } from '../../../platform/pages/form-parts.js';
import { hasEmployees, type ReportColumns } from '../report-columns.js';
import { formatOperator, keyLabel } from './definition.js';
import type { FilterChoices, FormRoom } from './filter-choices.js';
import { isChosen, isDateFilter, isListOperator, operatorsOf } from './filter-operators.js';
import { ValueField } from './filter-values.js';
import { AddEntry, type Choice, RemoveButton, SelectField } from './key-list.js';
import { type FilterForm, reportFieldIds } from './report-form.js';
import { PageColumns } from './value-text.js';

/** The filters of a report: each is a sentence of an attribute, a condition and a value. */
export function FilterFields({
  filters,
  attributes,
  values,
  maximum,
  focus,
}: {
  filters: readonly FilterForm[];
  attributes: readonly Choice[];
  values: FilterChoices;
  maximum: number;
  /** `id` of the element of the page that has the focus. */
  focus: string | undefined;
}) {
  const isFull = filters.length >= maximum;
  const room = roomFor(filters, useContext(PageColumns));
  return (
    <fieldset aria-describedby="filters-hint">
      <legend>Filters</legend>
      <p class="hint" id="filters-hint">
        Employees must meet all of them.
      </p>
      {filters.map((filter, index) => (
        <FilterRow key={index} position={index + 1} {...{ filter, attributes, values, room, focus }} />
      ))}
      <AddEntry
        list="filter"
        noun="filter"
        label="Add filter by"
        choices={attributes}
        isFull={isFull}
        focus={focus}
      />
      {isFull && <p class="hint">A report has at most {maximum} filters.</p>}
    </fieldset>
  );
}

/** Fields of the form in all, so that it stays short. */
const maximumFields = 100;

/** Fields of the form besides those of filters, at most: 22 for keys, five to add others, and 13 for the report. */
const otherFields = 40;

/** Fields of the form for the value of a filter, of which a form has at most a number in all. */
function roomFor(filters: readonly FilterForm[], columns: ReportColumns): FormRoom {
  const dates = filters.filter((filter) => isDateFilter(filter, columns)).length;
  const lists = filters.filter(({ operator }) => isListOperator(operator));
  const searches = filters.filter(({ field }) => hasEmployees(field, columns)).length;
  const chosen = lists.filter(({ field }) => isChosen(field, columns) || hasEmployees(field, columns)).length;
  const room = maximumFields - otherFields - 3 * filters.length - searches;
  const relativeDates = 2 * dates <= room;
  return { relativeDates, choices: Math.floor((room - (relativeDates ? 2 * dates : 0)) / chosen) };
}

function FilterRow({
  position,
  filter,
  attributes,
  values,
  room,
  focus,
}: {
  position: number;
  filter: FilterForm;
  attributes: readonly Choice[];
  values: FilterChoices;
  room: FormRoom;
  focus: string | undefined;
}) {
  const { field, operator } = filter;
  const id = (part: keyof FilterForm) => reportFieldIds.filter(position, part);
  const known = attributes.some(({ value }) => value === field);
  const columns = useContext(PageColumns);
  const offered: readonly string[] = operatorsOf(field, columns);
  const operators = operator === '' || offered.includes(operator) ? offered : [...offered, operator];
  return (
    <fieldset class="filter" {...(known && { id: id('field'), tabIndex: -1 })}>
      <legend>{known ? keyLabel(field, columns) : `Filter ${position}`}</legend>
      {known ? (
        <input type="hidden" name={id('field')} value={field} />
      ) : (
        <SelectField id={id('field')} label="Attribute" value={field} choices={attributes} empty="Choose" />
      )}
      {known && <FieldError field={id('field')} />}
      <SelectField
        id={id('operator')}
        label={`Condition of filter ${position}`}
        hiddenLabel
        value={operator}
        choices={operators.map((value) => ({ value, label: formatOperator(value) }))}
        focus={focus}
      />
      <ValueField {...{ position, filter, values, room }} />
      <RemoveButton list="filter" position={position} name={`filter ${position}`} />
    </fieldset>
  );
}
