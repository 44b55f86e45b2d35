import { describedBy, FieldError } from '../../../platform/pages/form-parts.js';
import { keyLabel, operatorWords } from './labels.js';
import { fieldIds, lines, type ReportForm } from './report-form.js';
import type { ReportOptions } from './report-schemas.js';
import { SelectField } from './select-list.js';

/** Value of the button that adds a filter, and start of the value of the buttons that remove one. */
export const addFilter = 'add_filter';
export const removeFilter = 'remove_filter_';

/** The filters of a report, and the buttons that add and remove them. */
export function FilterFields({
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
