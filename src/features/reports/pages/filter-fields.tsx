import { maximumPairs } from '../../../platform/http/form-parser.js';
import { FieldError, useDescription } from '../../../platform/pages/form-parts.js';
import type { DirectoryChoices } from '../../employees/index.js';
import { type ColumnKey, findColumn } from '../report-columns.js';
import { formatOperator, keyLabel } from './definition.js';
import { AddEntry, type Choice, RemoveButton, SelectField } from './key-list.js';
import { type FilterForm, fieldIds, isChosen, isListOperator, lines, operatorsOf } from './report-form.js';
import { useValueText } from './value-text.js';

/** The values that employees of the account have, which filters offer. */
export type FilterChoices = Pick<DirectoryChoices, 'status' | 'department' | 'location'>;

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
  const chosen = filters.filter(({ field, operator }) => isChosen(field) && isListOperator(operator));
  const maximumChoices = (maximumPairs - otherFields - 3 * filters.length) / chosen.length;
  return (
    <fieldset aria-describedby="filters-hint">
      <legend>Filters</legend>
      <p class="hint" id="filters-hint">
        Employees must meet all of them.
      </p>
      {filters.map((filter, index) => (
        <FilterRow
          key={index}
          position={index + 1}
          {...{ filter, attributes, values, maximumChoices, focus }}
        />
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

/** Fields of the form besides those of filters, at most: 20 keys, four to add others, and 13 for the report. */
const otherFields = 37;

function FilterRow({
  position,
  filter,
  attributes,
  values,
  maximumChoices,
  focus,
}: {
  position: number;
  filter: FilterForm;
  attributes: readonly Choice[];
  values: FilterChoices;
  /** Number of checkboxes for which a form has room. */
  maximumChoices: number;
  focus: string | undefined;
}) {
  const { field, operator } = filter;
  const id = (part: keyof FilterForm) => fieldIds.filter(position, part);
  const known = attributes.some(({ value }) => value === field);
  return (
    <fieldset class="filter" {...(known && { id: id('field'), tabIndex: -1 })}>
      <legend>{known ? keyLabel(field) : `Filter ${position}`}</legend>
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
        choices={operatorsOf(field).map((value) => ({ value, label: formatOperator(value) }))}
        focus={focus}
      />
      <ValueField
        id={id('value')}
        label={`Value of filter ${position}`}
        {...{ filter, values, maximumChoices }}
      />
      <RemoveButton list="filter" position={position} name={`filter ${position}`} />
    </fieldset>
  );
}

/** The field for the value of a filter: a date, values to choose from, a list with one value on each line, or a text. */
function ValueField({
  id,
  label,
  filter: { field, operator, value },
  values,
  maximumChoices,
}: {
  id: string;
  label: string;
  filter: FilterForm;
  values: FilterChoices;
  maximumChoices: number;
}) {
  const isList = isListOperator(operator);
  const entered = lines(value);
  if (isList && isChosen(field)) {
    const existing = values[field].flatMap((choice) => (choice.value?.trim() ? [choice.value.trim()] : []));
    const choices = [...new Set([...existing, ...entered.filter((text) => text !== '')])];
    if (choices.length <= maximumChoices) {
      return <ValueChoices {...{ id, label, field, choices }} chosen={entered} />;
    }
  }
  const description = useDescription(id);
  const { type = 'string' } = findColumn(field) ?? {};
  const isDate = type !== 'string' && !isList && /^(\d{4}-\d{2}-\d{2}(T00:00:00Z)?)?$/.test(value);
  return (
    <div class="field">
      <label for={id} class="unseen">
        {label}
      </label>
      <FieldError field={id} />
      {isList || entered.length > 1 ? (
        <>
          <textarea
            {...{ id, name: id, autocomplete: 'off', spellcheck: false, ...description }}
            rows={Math.min(Math.max(entered.length, 3), 8)}
          >
            {value}
          </textarea>
          {isList && <p class="hint">One value on each line.</p>}
        </>
      ) : isDate ? (
        <input type="date" {...{ id, name: id, value: value.slice(0, 10), ...description }} />
      ) : (
        <input type="text" {...{ id, name: id, value, autocomplete: 'off', ...description }} />
      )}
    </div>
  );
}

/** A checkbox for each value that employees have, and for those that the filter has besides. */
function ValueChoices({
  id,
  label,
  field,
  choices,
  chosen,
}: {
  id: string;
  label: string;
  field: ColumnKey;
  choices: readonly string[];
  chosen: readonly string[];
}) {
  const valueText = useValueText();
  return (
    <fieldset class="field values" id={id} tabIndex={-1} {...useDescription(id)}>
      <legend class="unseen">{label}</legend>
      <FieldError field={id} />
      {choices.length === 0 && <p class="hint">No employee has a value.</p>}
      {choices.map((value) => (
        <label key={value} class="choice">
          <input type="checkbox" name={id} value={value} checked={chosen.includes(value)} />
          <bdi>{valueText(field, value)}</bdi>
        </label>
      ))}
    </fieldset>
  );
}
