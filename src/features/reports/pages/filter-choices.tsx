import { FieldError, useDescription } from '../../../platform/pages/form-parts.js';
import type { DirectoryChoices, EmployeeChoice } from '../../employees/index.js';
import type { ColumnKey } from '../report-columns.js';
import { isListOperator } from './filter-operators.js';
import type { Choice } from './key-list.js';
import { buttons, type EmployeeSearch, type FilterForm, reportFieldIds } from './report-form.js';
import { useValueText } from './value-text.js';

/** The values that employees of the account have, which filters offer. */
export interface FilterChoices extends Pick<DirectoryChoices, 'status' | 'department' | 'location'> {
  readonly people: {
    /** All managers; `null` when there are too many, so that a filter has a field for searching them. */
    readonly managers: readonly EmployeeChoice[] | null;
    /** The result of a search in the filter at a position. */
    readonly found?: EmployeeSearch & { readonly employees: readonly EmployeeChoice[] };
  };
}

/** What a form has room for, besides one field for the value of each filter. */
export interface FormRoom {
  /** Checkboxes of a filter. */
  readonly choices: number;
  /** Whether a date has the fields for relative dates. */
  readonly relativeDates: boolean;
}

export interface ValueProps {
  readonly position: number;
  readonly filter: FilterForm;
  readonly values: FilterChoices;
  readonly room: FormRoom;
}

/** Label of the value of a filter, for screen readers. */
export function valueLabel(position: number): string {
  return `Value of filter ${position}`;
}

/**
 * The managers of the account by name, or a field for searching them when there are many. Other employees are always searched. Those of
 * the filter stay.
 */
export function EmployeeField({
  position,
  filter: { field, operator },
  values: {
    people: { managers, found },
  },
  room,
  chosen,
}: ValueProps & { readonly chosen: readonly string[] }) {
  const valueText = useValueText();
  const words = field === 'manager_id' ? managerWords : employeeWords;
  const all = field === 'manager_id' ? managers : null;
  const isList = isListOperator(operator);
  const maximum = isList ? room.choices : Number.POSITIVE_INFINITY;
  const unlisted = chosen.filter((id) => !all?.some((manager) => manager.id === id));
  const everyone = all !== null && all.length + unlisted.length <= maximum ? all : null;
  const result = found?.position === position ? found : undefined;
  const kept = (everyone === null ? chosen : unlisted).map((id) => ({
    id,
    name: valueText(field as ColumnKey, id),
  }));
  const offered = (everyone ?? result?.employees ?? []).filter(({ id }) =>
    kept.every((one) => one.id !== id),
  );
  return (
    <div class="field">
      <Choices
        position={position}
        type={isList ? 'checkbox' : 'radio'}
        choices={[...kept, ...offered].slice(0, maximum).map(({ id, name }) => ({ value: id, label: name }))}
        chosen={chosen}
        empty={everyone === null ? `Search for ${words.one}, then choose.` : 'No employee has a manager.'}
      />
      {everyone === null && <SearchField {...{ position, result, words }} />}
    </div>
  );
}

/** What is searched, in the texts of a search. */
interface SearchWords {
  readonly one: string;
  readonly label: string;
  readonly none: string;
  readonly found: string;
}

const managerWords: SearchWords = {
  one: 'a manager',
  label: 'Search managers',
  none: 'No manager matches',
  found: 'Managers that match',
};

const employeeWords: SearchWords = {
  one: 'an employee',
  label: 'Search employees',
  none: 'No employee matches',
  found: 'Employees that match',
};

/** A field that searches employees, and its button. Its text is not a value of the filter. */
function SearchField({
  position,
  result,
  words,
}: {
  position: number;
  result: FilterChoices['people']['found'] | undefined;
  words: SearchWords;
}) {
  const id = reportFieldIds.filter(position, 'search');
  return (
    <>
      {result !== undefined && (
        <p class="hint" role="status">
          {result.employees.length === 0 ? words.none : words.found} “<bdi>{result.text}</bdi>”
        </p>
      )}
      <div class="adding">
        <div class="field">
          <label for={id}>{words.label}</label>
          <input
            type="search"
            {...{ id, name: id, autocomplete: 'off', maxLength: 100 }}
            autofocus={result !== undefined}
          />
        </div>
        <button
          type="submit"
          name="do"
          value={buttons.search(position)}
          class="secondary"
          aria-label={`${words.label} of filter ${position}`}
        >
          Search
        </button>
      </div>
    </>
  );
}

/** Values to choose from: several with checkboxes, or one. */
export function Choices({
  position,
  type,
  choices,
  chosen,
  empty,
}: {
  position: number;
  type: 'checkbox' | 'radio';
  choices: readonly Choice[];
  chosen: readonly string[];
  /** What is shown instead of no choices. */
  empty: string;
}) {
  const id = reportFieldIds.filter(position, 'value');
  return (
    <fieldset class="field values" id={id} tabIndex={-1} {...useDescription(id)}>
      <legend class="unseen">{valueLabel(position)}</legend>
      <FieldError field={id} />
      {choices.length === 0 && <p class="hint">{empty}</p>}
      {choices.map(({ value, label }) => (
        <label key={value} class="choice">
          <input type={type} name={id} value={value} checked={chosen.includes(value)} />
          <bdi>{label}</bdi>
        </label>
      ))}
    </fieldset>
  );
}
