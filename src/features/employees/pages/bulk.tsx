import { Empty } from '../../../platform/pages/data-table.js';
import { actionForm, formPage, type Rejection, rejected } from '../../../platform/pages/define-pages.js';
import type { Fields } from '../../../platform/pages/fields.js';
import { withFlash } from '../../../platform/pages/flash.js';
import { Form, type FormError, type HiddenFields, TextField } from '../../../platform/pages/form-parts.js';
import type { PageContext, PageResponse, PageView } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { directoryPath } from '../../../platform/pages/paths.js';
import type { DirectoryChoices } from '../directory.js';
import { type Employee, fullName } from '../employee.js';
import { formatStatus, type GivenAttribute, givenAttributes, knownStatuses } from '../employee-attributes.js';
import { bulkPath } from './employee-addresses.js';
import { checkForm, managerField, rejectionErrors, storedEmployeeForm } from './employee-form.js';
import { ManagerField, type PersonView, readPerson, viewPerson } from './person-field.js';
import type { EmployeePagesDependencies } from './requested.js';

/** Employees that are changed at once. */
const maximumPeople = 100;

/** The field of each attribute that can be changed for several employees. */
const bulkFields = {
  department: 'department',
  location: 'location',
  status: 'status',
  manager_id: managerField,
} as const;

type BulkName = keyof typeof bulkFields;

interface BulkAttribute extends GivenAttribute {
  readonly name: BulkName;
}

const bulkAttributes = givenAttributes.filter((attribute): attribute is BulkAttribute =>
  Object.hasOwn(bulkFields, attribute.name),
);

interface BulkForm {
  readonly people: readonly Employee[];
  readonly attribute: BulkAttribute | undefined;
  /** Values by field. */
  readonly values: Readonly<Record<string, string>>;
}

const confirmPath = `${bulkPath}/confirm`;

/** Changes one attribute of the selected employees, after a page that says how many change. */
export function bulkPages(site: PageRouter, dependencies: EmployeePagesDependencies): void {
  const { employees, employeeChanges, employeeCheck } = dependencies;
  const read = async (context: PageContext, fields: Fields): Promise<BulkForm> => {
    const ids = [...new Set(fields.list('employee'))].slice(0, maximumPeople);
    const name = fields.text('attribute');
    const texts = Object.values(bulkFields).map((field) => [field, fields.text(field)]);
    return {
      people: await employees.byIds(context.user.accountId, ids),
      attribute: bulkAttributes.find((attribute) => attribute.name === name),
      values: {
        ...Object.fromEntries(texts),
        [managerField]: await readPerson(context, dependencies, managerField),
      },
    };
  };
  const view = async (context: PageContext, form: BulkForm): Promise<PageView> => {
    if (form.people.length === 0) return nothingSelected;
    const { accountId } = context.user;
    const [choices, statuses, manager] = await Promise.all([
      dependencies.directory.choices(accountId),
      employees.statuses(accountId),
      viewPerson(context, dependencies, form.values[managerField]),
    ]);
    return {
      title: `Change ${countPeople(form.people.length)}`,
      script: 'people.js',
      body: <BulkFields {...{ form, choices, statuses, manager }} />,
    };
  };
  /** The form with its value, or its errors. */
  const check = ({ people: [first], attribute, values }: BulkForm): readonly FormError[] => {
    if (attribute === undefined) return [{ field: 'attribute', message: 'Select what to change.' }];
    const field = bulkFields[attribute.name];
    const stored = first === undefined ? {} : storedEmployeeForm(first, null);
    const checked = checkForm({ ...stored, [field]: values[field] ?? '' }, employeeCheck, stored);
    return 'errors' in checked ? checked.errors.filter((error) => error.field === field) : [];
  };
  const apply = async (context: PageContext, form: BulkForm, options: { dryRun: boolean }) => {
    const { attribute, people, values } = form;
    const errors = check(form);
    if (errors.length > 0 || attribute === undefined) return { errors };
    const ids = people.map(({ id }) => id);
    const value = values[bulkFields[attribute.name]] || null;
    const outcome = await employeeChanges.updateAll(context.auditContext, { ids, attribute, value }, options);
    if (outcome.kind === 'rejected') return { errors: rejectionErrors(outcome.reasons) };
    return { attribute, changed: outcome.changed, value: outcome.value };
  };

  formPage<BulkForm>(site, bulkPath, {
    recentPassword: ['no', 'the next page confirms'],
    initial: (context) => read(context, context.query),
    read: (context) => read(context, context.form),
    view,
    save: async (context, form): Promise<PageResponse | Rejection<BulkForm>> => {
      if (form.people.length === 0) return { redirect: withFlash(directoryPath, 'no_people_selected') };
      const outcome = await apply(context, form, { dryRun: true });
      if (outcome.errors !== undefined) return { errors: outcome.errors };
      const { attribute, changed, value } = outcome;
      if (changed.length === 0) {
        const label = attribute.label.toLowerCase();
        return rejected(bulkFields[attribute.name], `All of the selected people already have this ${label}.`);
      }
      const manager = await viewPerson(context, dependencies, form.values[managerField]);
      return confirmation(form, { attribute, changed, shown: formatValue(attribute, value, manager) });
    },
  });

  actionForm(site, confirmPath, {
    recentPassword: ['form', 'replaces values of many records'],
    back: () => directoryPath,
    save: async (context) => {
      const form = await read(context, context.form);
      const outcome = await apply(context, form, { dryRun: false });
      if (outcome.errors !== undefined) return { ...(await view(context, form)), errors: outcome.errors };
      return { redirect: withFlash(directoryPath, 'employees_updated') };
    },
  });
}

const nothingSelected: PageView = {
  title: 'Change people',
  body: (
    <Empty title="No people are selected.">
      <p>
        <a href={directoryPath}>Select people in the list</a>, then choose “Change selected people”.
      </p>
    </Empty>
  ),
};

/** The page that says how many people change, and from which values. */
function confirmation(
  { people, values }: BulkForm,
  { attribute, changed, shown }: { attribute: BulkAttribute; changed: readonly Employee[]; shown: string },
): PageView {
  const label = attribute.label.toLowerCase();
  const unchanged = people.length - changed.length;
  const hidden: HiddenFields = [
    ...people.map(({ id }) => ['employee', id] as const),
    ['attribute', attribute.name],
    ...Object.entries(values),
  ];
  return {
    title: `Change the ${label} of ${countPeople(changed.length)}?`,
    body: (
      <>
        <div class="warning">
          <p>
            <strong>The new {label}:</strong> <bdi>{shown}</bdi>
            {unchanged > 0 &&
              `. ${countPeople(unchanged)} of the selected already ${unchanged === 1 ? 'has' : 'have'} it.`}
          </p>
          <ul>
            {changed.map((person) => (
              <li key={person.id}>
                <bdi>{fullName(person)}</bdi>
                {attribute.name !== 'manager_id' && (
                  <>
                    , now <bdi>{formatValue(attribute, person[attribute.member])}</bdi>
                  </>
                )}
              </li>
            ))}
          </ul>
          <p>The audit log gets an event for each person, and so do applications with access to employees.</p>
        </div>
        <Form
          action={confirmPath}
          className={null}
          hidden={hidden}
          button={`Change ${countPeople(changed.length)}`}
          cancel={directoryPath}
        />
      </>
    ),
  };
}

/** @param manager the manager that the value stands for */
function formatValue({ name }: BulkAttribute, value: string | null, manager?: PersonView): string {
  if (value === null || value === '') return 'none';
  if (name === 'manager_id') return manager?.text ?? value;
  return name === 'status' ? formatStatus(value) : value;
}

function BulkFields({
  form: { people, attribute, values },
  choices,
  statuses,
  manager,
}: {
  form: BulkForm;
  choices: DirectoryChoices;
  statuses: readonly string[];
  manager: PersonView;
}) {
  const suggestions = (field: 'department' | 'location') => (
    <div class={`bulk-value for-${field}`}>
      <TextField
        id={field}
        label={field === 'department' ? 'New department' : 'New location (empty: none)'}
        value={values[field] ?? ''}
        autocomplete="off"
        required={false}
        list={`${field}-values`}
      />
      <datalist id={`${field}-values`}>
        {choices[field].map(({ value }) => value !== null && <option key={value} value={value} />)}
      </datalist>
    </div>
  );
  return (
    <Form
      action={bulkPath}
      className="fields bulk"
      hidden={people.map(({ id }) => ['employee', id] as const)}
      button="Continue"
      cancel={directoryPath}
    >
      <details class="selected">
        <summary>Show the selected people</summary>
        <ul>
          {people.map((person) => (
            <li key={person.id}>
              <bdi>{fullName(person)}</bdi>
            </li>
          ))}
        </ul>
      </details>
      <fieldset id="attribute">
        <legend>What to change</legend>
        {bulkAttributes.map(({ name, label }) => (
          <label key={name} class="choice">
            <input
              type="radio"
              name="attribute"
              value={name}
              checked={name === (attribute?.name ?? 'department')}
            />
            {label}
          </label>
        ))}
      </fieldset>
      {suggestions('department')}
      {suggestions('location')}
      <div class="field bulk-value for-status">
        <label for="status">New status</label>
        <select id="status" name="status">
          {[...new Set([...knownStatuses, ...statuses])].map((status) => (
            <option key={status} value={status} selected={status === values.status}>
              {formatStatus(status)}
            </option>
          ))}
        </select>
      </div>
      <div class="bulk-value for-manager">
        <ManagerField manager={manager} label="New manager (empty: none)" />
      </div>
    </Form>
  );
}

function countPeople(count: number): string {
  return count === 1 ? '1 person' : `${count} people`;
}
