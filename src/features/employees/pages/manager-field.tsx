import { TextField } from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { type Employee, fullName } from '../employee.js';
import { maximumSearchLength, searchParts } from '../employee-search.js';
import { directorySort } from './directory-address.js';
import { suggestionsPath } from './employee-addresses.js';
import { managerField } from './employee-form.js';
import type { EmployeePagesDependencies } from './requested.js';

/** The text that the field was shown with, and the employee number that it stands for. */
const shownField = 'manager_shown';
const numberField = 'manager_number';

/** Employee number of a match that the user has selected. */
const matchField = 'manager_match';

const maximumSuggestions = 10;

type Dependencies = Pick<EmployeePagesDependencies, 'directory' | 'employees'>;

/** The field as it is shown. */
export interface ManagerView {
  readonly text: string;
  /** Employee number that the text stands for; the text itself when it stands for no single employee. */
  readonly number: string;
  /** People to choose from when the text stands for no single employee. */
  readonly matches: readonly Employee[];
}

/**
 * The employee number of the submitted manager. Text that stands for no single employee is returned unchanged: no employee has this
 * number, so the form is rejected and shows who matches.
 */
export async function readManager(context: PageContext, dependencies: Dependencies): Promise<string> {
  const { form } = context;
  const text = form.text(managerField);
  if (text === form.text(shownField)) return form.text(matchField) || form.text(numberField);
  if (text === '') return '';
  const found = await find(context, dependencies, text);
  return found?.employeeNumber ?? text;
}

/** How the field shows a submitted or stored value: an employee by name and number, or the people who match a text. */
export async function viewManager(
  context: PageContext,
  { directory, employees }: Dependencies,
  value = '',
): Promise<ManagerView> {
  if (value === '') return { text: '', number: '', matches: [] };
  const [manager] = await employees.byNumber(context.user.accountId, [value]);
  if (manager !== undefined) return { text: label(manager), number: value, matches: [] };
  const matches = await search(context, directory, value);
  return { text: value, number: value, matches };
}

/**
 * The employee that a text stands for: an employee number, an employee as the field shows them, or a whole name or e-mail address
 * that only one has.
 */
async function find(
  context: PageContext,
  { directory, employees }: Dependencies,
  text: string,
): Promise<Employee | undefined> {
  const shown = /\(([^()]+)\)$/.exec(text)?.[1];
  const numbers = [text, ...(shown === undefined ? [] : [shown])];
  const numbered = await employees.byNumber(context.user.accountId, numbers);
  const same = (other: string) => other.toLowerCase() === text.toLowerCase();
  // The name before the number in parentheses must be theirs: a suggestion may be old.
  const exact =
    numbered.find(({ employeeNumber }) => employeeNumber === text) ??
    numbered.find((person) => same(label(person)));
  if (exact !== undefined) return exact;
  const [match, ...others] = (await search(context, directory, text)).filter((person) =>
    [fullName(person), person.email].some(same),
  );
  return others.length === 0 ? match : undefined;
}

async function search(
  { user: { accountId } }: PageContext,
  directory: Dependencies['directory'],
  text: string,
): Promise<readonly Employee[]> {
  if (searchParts(text).length === 0) return [];
  const { employees } = await directory.read(accountId, {
    text,
    filter: {},
    sort: directorySort('name'),
    size: maximumSuggestions,
    skip: 0,
  });
  return employees;
}

/** An employee as the field names it. The number tells people of the same name apart. */
function label(employee: Employee): string {
  return `${fullName(employee)} (${employee.employeeNumber})`;
}

export function ManagerField({
  manager: { text, number, matches },
  label: fieldLabel = 'Manager (optional)',
}: {
  manager: ManagerView;
  label?: string;
}) {
  return (
    <>
      <TextField
        id={managerField}
        label={fieldLabel}
        hint="A name, an e-mail address or an employee number."
        value={text}
        autocomplete="off"
        required={false}
        list={suggestionsId}
        data-suggestions={suggestionsPath}
      />
      <datalist id={suggestionsId} />
      <input type="hidden" name={shownField} value={text} />
      <input type="hidden" name={numberField} value={number} />
      {matches.length > 0 && (
        <fieldset>
          <legend>Who is the manager?</legend>
          {matches.map((match) => (
            <label key={match.id} class="choice">
              <input type="radio" name={matchField} value={match.employeeNumber} />
              <span>
                <bdi>{label(match)}</bdi>
                {match.jobTitle !== null && (
                  <span class="hint">
                    {' '}
                    <bdi>{match.jobTitle}</bdi>
                  </span>
                )}
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </>
  );
}

const suggestionsId = 'suggestions';

/** The people who match a text, which the script of a form offers while it is entered. */
export function suggestionPages(site: PageRouter, { directory }: Pick<Dependencies, 'directory'>): void {
  site.get(suggestionsPath, async (context) => {
    const text = [...context.query.text('q')].slice(0, maximumSearchLength).join('');
    const people = await search(context, directory, text);
    return {
      title: 'Suggestions',
      body: (
        <ul id={suggestionsId}>
          {people.map((person) => (
            <li key={person.id}>{label(person)}</li>
          ))}
        </ul>
      ),
    };
  });
}
