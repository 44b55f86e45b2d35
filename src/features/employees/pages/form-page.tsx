import { isDateText } from '../../../platform/contract/outside-text.js';
import { column, DataTable } from '../../../platform/pages/data-table.js';
import {
  FieldError,
  Form,
  type HiddenFields,
  TextField,
  useDescription,
} from '../../../platform/pages/form-parts.js';
import { formatStatus, knownStatuses } from '../employee-attributes.js';
import { type EmployeeField, type EmployeeForm, formFields, newStatusField } from './employee-form.js';

/** What another user has saved since the form was opened, and the user has changed differently. */
export interface EmployeeConflict {
  readonly stored: EmployeeForm;
  /** Names of the fields. */
  readonly fields: readonly string[];
}

function Conflict({
  form,
  conflict: { stored, fields },
}: {
  form: EmployeeForm;
  conflict: EmployeeConflict;
}) {
  return (
    <section aria-labelledby="conflict">
      <h2 id="conflict">Changed by another user</h2>
      <p>All other changes of both are in the form.</p>
      <DataTable
        caption="Values that differ"
        columns={[
          column<EmployeeField>('Attribute', ({ label }) => label),
          column<EmployeeField>('Saved', ({ name }) => <Value text={stored[name]} />),
          column<EmployeeField>('Yours', ({ name }) => <Value text={form[name]} />),
        ]}
        rows={formFields.filter(({ name }) => fields.includes(name))}
        rowKey={({ name }) => name}
      />
      <h2>Your values</h2>
    </section>
  );
}

function Value({ text = '' }: { text: string | undefined }) {
  return text === '' ? <>–</> : <bdi>{text}</bdi>;
}

/** Form that creates or changes an employee. */
export function EmployeeFields({
  form,
  conflict,
  statuses,
  ...props
}: {
  form: EmployeeForm;
  /** The statuses that the account uses. */
  statuses: readonly string[];
  conflict?: EmployeeConflict | undefined;
  hidden?: HiddenFields;
  cancel: string;
  button: string;
}) {
  return (
    <>
      {conflict !== undefined && <Conflict {...{ form, conflict }} />}
      <Form {...props}>
        {formFields.map((field) => {
          const { name } = field;
          const value = form[name] ?? '';
          if (name === 'status') return <StatusField key={name} value={value} statuses={statuses} />;
          return <InputField key={name} field={field} value={value} />;
        })}
      </Form>
    </>
  );
}

/** The known statuses, those of the account, and a field for another one. */
function StatusField({ value, statuses }: { value: string; statuses: readonly string[] }) {
  const options = new Set([...(value === '' ? [''] : []), ...knownStatuses, ...statuses, value]);
  return (
    <>
      <div class="field">
        <label for="status">Status</label>
        <FieldError field="status" />
        <select id="status" name="status" {...useDescription('status')}>
          {[...options].map((status) => (
            <option key={status} value={status} selected={status === value}>
              {status === '' ? 'Select a status' : formatStatus(status)}
            </option>
          ))}
        </select>
      </div>
      <TextField
        id={newStatusField}
        label="New status (optional)"
        hint="Only for a status that is not in the list. It replaces the selected one, and is in the list afterwards."
        autocomplete="off"
        required={false}
      />
    </>
  );
}

/** Some people have only one name. */
const nameHints = {
  first_name: 'This or the last name is required.',
  last_name: 'This or the first name is required.',
};

function InputField({
  field: { name, label, type, required },
  value,
}: {
  field: EmployeeField;
  value: string;
}) {
  // Browsers show no value in a date field that is not a date.
  const isDate = type === 'date' && (value === '' || isDateText(value));
  return (
    <TextField
      id={name}
      label={required || name in nameHints ? label : `${label} (optional)`}
      hint={new Map(Object.entries(nameHints)).get(name)}
      type={isDate ? 'date' : 'text'}
      value={value}
      autocomplete="off"
      required={required}
    />
  );
}
