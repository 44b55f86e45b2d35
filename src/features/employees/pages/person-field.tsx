import { TextField } from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { type Employee, fullName } from '../employee.js';
import { maximumSearchLength, searchParts } from '../employee-search.js';
import { directorySort } from './directory-address.js';
import { suggestionsPath } from './employee-addresses.js';
import { managerField } from './employee-form.js';
import type { EmployeePagesDependencies } from './requested.js';

/** Names of the parts of a field for an employee. */
interface PartNames {
  /** The text that the field was shown with. */
  readonly shown: string;
  /** The employee number that it stands for. */
  readonly number: string;
  /** Employee number of a match that the user has selected. */
  readonly match: string;
  /** `id` of the suggestions. */
  readonly list: string;
}

/** A custom attribute has a name without a second dot. */
function partsOf(field: string): PartNames {
  const prefix = field === managerField ? 'manager_' : `${field}.`;
  const list = field === managerField ? suggestionsId : `${field}.${suggestionsId}`;
  return { shown: `${prefix}shown`, number: `${prefix}number`, match: `${prefix}match`, list };
}

const maximumSuggestions = 10;

/** `id` of the list of {@link suggestionPages}, and of the one of the manager. */
const suggestionsId = 'suggestions';

type Dependencies = Pick<EmployeePagesDependencies, 'directory' | 'employees'>;

/** A field for an employee as it is shown. */
export interface PersonView {
  readonly text: string;
  /** Employee number that the text stands for; the text itself when it stands for no single employee. */
  readonly number: string;
  /** People to choose from when the text stands for no single employee. */
  readonly matches: readonly Employee[];
}

/**
 * The employee numbers of the submitted employees, by field. Text that stands for no single employee is returned unchanged: no employee
 * has this number, so the form is rejected and shows who matches.
 */
export async function readPeople(
  context: PageContext,
  dependencies: Dependencies,
  fields: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const { form } = context;
  const entered = fields.filter((field) => {
    const text = form.text(field);
    return text !== '' && text !== form.text(partsOf(field).shown);
  });
  const found = await find(context, dependencies, new Set(entered.map((field) => form.text(field))));
  const numberIn = (field: string) => {
    const text = form.text(field);
    const { shown, number, match } = partsOf(field);
    if (text === form.text(shown)) return form.text(match) || form.text(number);
    return found.get(text)?.employeeNumber ?? text;
  };
  return Object.fromEntries(fields.map((field) => [field, numberIn(field)]));
}

/** The employee number in one field, as {@link readPeople} reads it. */
export async function readPerson(
  context: PageContext,
  dependencies: Dependencies,
  field: string,
): Promise<string> {
  return (await readPeople(context, dependencies, [field]))[field] ?? '';
}

/** How fields show submitted or stored employee numbers: an employee by name and number, or the people who match a text. */
export async function viewPeople(
  context: PageContext,
  { directory, employees }: Dependencies,
  values: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, PersonView>> {
  const given = [...values].filter(([, value]) => value !== '');
  const numbers = [...new Set(given.map(([, value]) => value))];
  const known = numbers.length === 0 ? [] : await employees.byNumber(context.user.accountId, numbers);
  const byNumber = new Map(known.map((employee) => [employee.employeeNumber, employee]));
  const texts = numbers.filter((number) => !byNumber.has(number));
  const matches = await searchAll(context, directory, texts);
  return new Map(
    given.map(([field, value]) => {
      const employee = byNumber.get(value);
      const text = employee === undefined ? value : label(employee);
      return [field, { text, number: value, matches: matches.get(value) ?? [] }];
    }),
  );
}

/** How one field shows an employee number, as {@link viewPeople} shows it. */
export async function viewPerson(
  context: PageContext,
  dependencies: Dependencies,
  value = '',
): Promise<PersonView> {
  return (await viewPeople(context, dependencies, new Map([['', value]]))).get('') ?? noPerson;
}

export const noPerson: PersonView = { text: '', number: '', matches: [] };

/**
 * The employees that texts stand for, by text: an employee number, an employee as the field shows them, or a whole name or e-mail
 * address that only one has.
 */
async function find(
  context: PageContext,
  { directory, employees }: Dependencies,
  texts: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Employee>> {
  const shownNumber = (text: string) => /\(([^()]+)\)$/.exec(text)?.[1];
  const numbers = [...texts].flatMap((text) => [text, shownNumber(text) ?? text]);
  const numbered = numbers.length === 0 ? [] : await employees.byNumber(context.user.accountId, numbers);
  const byNumber = new Map(numbered.map((employee) => [employee.employeeNumber, employee]));
  const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
  const found = new Map<string, Employee>();
  for (const text of texts) {
    const shown = byNumber.get(shownNumber(text) ?? '');
    // The name before the number in parentheses must be theirs: a suggestion may be old.
    const exact = byNumber.get(text) ?? (shown !== undefined && same(label(shown), text) ? shown : undefined);
    if (exact !== undefined) found.set(text, exact);
  }
  const others = [...texts].filter((text) => !found.has(text));
  for (const [text, people] of await searchAll(context, directory, others)) {
    const [match, ...more] = people.filter((person) =>
      [fullName(person), person.email].some((value) => same(value, text)),
    );
    if (match !== undefined && more.length === 0) found.set(text, match);
  }
  return found;
}

/** Searches at one time. A form has many texts that are no employee numbers only if a user enters all of them. */
const maximumSearches = 10;

/** The people who match texts. More than {@link maximumSearches} texts are not searched. */
async function searchAll(
  context: PageContext,
  directory: Dependencies['directory'],
  texts: readonly string[],
): Promise<ReadonlyMap<string, readonly Employee[]>> {
  const searched = texts.slice(0, maximumSearches);
  const found = await Promise.all(
    searched.map(async (text) => [text, await search(context, directory, text)] as const),
  );
  return new Map(found);
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

/** A field for an employee. */
export function PersonField({
  field,
  person: { text, number, matches },
  label: fieldLabel,
  hint,
  question,
  required = false,
}: {
  field: string;
  person: PersonView;
  label: string;
  hint?: string | undefined;
  /** Asks which of several people is meant. */
  question: string;
  required?: boolean;
}) {
  const parts = partsOf(field);
  return (
    <>
      <TextField
        id={field}
        label={fieldLabel}
        hint={[hint, 'A name, an e-mail address or an employee number.'].filter(Boolean).join(' ')}
        value={text}
        autocomplete="off"
        required={required}
        list={parts.list}
        data-suggestions={suggestionsPath}
      />
      <datalist id={parts.list} />
      <input type="hidden" name={parts.shown} value={text} />
      <input type="hidden" name={parts.number} value={number} />
      {matches.length > 0 && (
        <fieldset>
          <legend>{question}</legend>
          {matches.map((match) => (
            <label key={match.id} class="choice">
              <input type="radio" name={parts.match} value={match.employeeNumber} />
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

/** The field for the manager. */
export function ManagerField({
  manager,
  label: fieldLabel = 'Manager (optional)',
}: {
  manager: PersonView;
  label?: string;
}) {
  return (
    <PersonField field={managerField} person={manager} label={fieldLabel} question="Who is the manager?" />
  );
}

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
