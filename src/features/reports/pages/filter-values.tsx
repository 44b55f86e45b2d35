import { useContext } from 'preact/hooks';
import { lines } from '../../../platform/pages/fields.js';
import { FieldError, useDescription } from '../../../platform/pages/form-parts.js';
import { knownStatuses } from '../../employees/index.js';
import { timestampOfDay } from '../relative-dates.js';
import { type ColumnKey, hasEmployees } from '../report-columns.js';
import { dateChoices, enteredDate } from './date-values.js';
import { Choices, EmployeeField, type FilterChoices, type ValueProps, valueLabel } from './filter-choices.js';
import {
  isCounted,
  isDateFilter,
  isEmptyOperator,
  isListOperator,
  isOneOperator,
} from './filter-operators.js';
import { SelectField } from './key-list.js';
import { reportFieldIds } from './report-form.js';
import { PageColumns, useValueText } from './value-text.js';

/** The field for the value of a filter: a date, values to choose from, a list with one value on each line, or a text. */
export function ValueField(props: ValueProps) {
  const {
    position,
    filter: { field, operator, value },
    values,
    room,
  } = props;
  if (isEmptyOperator(operator)) return null;
  const id = reportFieldIds.filter(position, 'value');
  const columns = useContext(PageColumns);
  const { type = 'string', custom } = columns.get(field) ?? {};
  const isList = isListOperator(operator);
  const entered = lines(value);
  const chosen = entered.filter((text) => text !== '');
  if (hasEmployees(field, columns) && (isList ? chosen.length <= room.choices : isOneOperator(operator))) {
    return <EmployeeField {...props} chosen={chosen} />;
  }
  const offered = isCounted(field) ? existingValues(values[field]) : custom?.choices;
  if (isList && offered !== undefined && offered.length > 0) {
    const choices = [...new Set([...offered, ...chosen])];
    if (choices.length <= room.choices)
      return <ValueChoices {...{ position, choices, chosen }} field={field as ColumnKey} />;
  }
  if (field === 'status' && isOneOperator(operator) && entered.length === 1)
    return <StatusField {...props} />;
  if (type === 'boolean' && entered.length === 1)
    return <ChoiceField {...props} choices={['true', 'false']} />;
  if (custom && offersChoice(custom.type, operator) && entered.length === 1)
    return <ChoiceField {...props} choices={custom.choices} />;
  if (isDateFilter(props.filter, columns) && entered.length === 1 && room.relativeDates)
    return <DateField {...props} />;
  return (
    <div class="field">
      <ValueLabel position={position} />
      <FieldError field={id} />
      {isList || entered.length > 1 ? (
        <>
          <textarea
            {...{ id, name: id, autocomplete: 'off', spellcheck: false, ...useDescription(id) }}
            rows={Math.min(Math.max(entered.length, 3), 8)}
          >
            {value}
          </textarea>
          {isList && (
            <p class="hint">
              One value on each line
              {(type === 'date' || type === 'date_time') &&
                ', such as 2026-01-31, today, -90d or start_of_month'}
              .
            </p>
          )}
        </>
      ) : (
        <input type="text" {...{ id, name: id, value, autocomplete: 'off', ...useDescription(id) }} />
      )}
    </div>
  );
}

/** The values that employees have, without the empty one. */
function existingValues(choices: FilterChoices['status']): string[] {
  return choices.flatMap(({ value }) => (value?.trim() ? [value.trim()] : []));
}

function ValueLabel({ position }: { position: number }) {
  return (
    <label for={reportFieldIds.filter(position, 'value')} class="unseen">
      {valueLabel(position)}
    </label>
  );
}

/** A choice of relative dates, with a field for a date and one for a number of days. The style shows the one that is needed. */
function DateField({ position, filter: { operator, value } }: ValueProps) {
  const id = (part: 'when' | 'value' | 'days') => reportFieldIds.filter(position, part);
  const { when, date, days } = enteredDate(value);
  const day = date.slice(0, 10);
  const isDate = [day, timestampOfDay(day, operator)].includes(date);
  const common = (part: 'value' | 'days') => ({ id: id(part), name: id(part), ...useDescription(id(part)) });
  return (
    <div class="date-value">
      <SelectField
        id={id('when')}
        label={
          <>
            Compare with <span class="unseen">(filter {position})</span>
          </>
        }
        value={when}
        choices={dateChoices}
      />
      <div class="field date">
        <ValueLabel position={position} />
        <FieldError field={id('value')} />
        {isDate ? (
          <input type="date" {...common('value')} value={day} />
        ) : (
          <input type="text" {...common('value')} value={date} autocomplete="off" />
        )}
      </div>
      <div class="field days">
        <label for={id('days')}>Days</label>
        <FieldError field={id('days')} />
        <input type="number" {...common('days')} value={days} min="1" max="99999" />
      </div>
    </div>
  );
}

/** The statuses that employees have and those that are known, and the one of the filter. */
function StatusField({ position, filter: { value }, values }: ValueProps) {
  const valueText = useValueText();
  const [chosen = ''] = lines(value);
  const statuses = new Set([...existingValues(values.status), ...knownStatuses, ...(chosen ? [chosen] : [])]);
  return (
    <SelectField
      id={reportFieldIds.filter(position, 'value')}
      label={valueLabel(position)}
      hiddenLabel
      value={chosen}
      choices={[...statuses].map((status) => ({ value: status, label: valueText('status', status) }))}
      empty="Choose"
    />
  );
}

/** Whether a filter by a custom attribute of a type compares with one of its choices. */
function offersChoice(type: string, operator: string): boolean {
  return (type === 'choice' && isOneOperator(operator)) || (type === 'choices' && operator === 'contains');
}

/** One of the values of a custom attribute, and the one of the filter. */
function ChoiceField({
  position,
  filter: { field, value },
  choices,
}: ValueProps & { choices: readonly string[] }) {
  const valueText = useValueText();
  const [chosen = ''] = lines(value);
  const offered = new Set([...choices, ...(chosen ? [chosen] : [])]);
  return (
    <SelectField
      id={reportFieldIds.filter(position, 'value')}
      label={valueLabel(position)}
      hiddenLabel
      value={chosen}
      choices={[...offered].map((value) => ({ value, label: valueText(field as ColumnKey, value) }))}
      empty="Choose"
    />
  );
}

/** A checkbox for each value that employees have, and for those that the filter has besides. */
function ValueChoices({
  position,
  field,
  choices,
  chosen,
}: {
  position: number;
  field: ColumnKey;
  choices: readonly string[];
  chosen: readonly string[];
}) {
  const valueText = useValueText();
  return (
    <Choices
      position={position}
      type="checkbox"
      choices={choices.map((value) => ({ value, label: valueText(field, value) }))}
      chosen={chosen}
      empty="No employee has a value."
    />
  );
}
