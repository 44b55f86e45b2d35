import { isDateText } from '../../../platform/contract/outside-text.js';
import { FieldError, Form, TextField, useDescription } from '../../../platform/pages/form-parts.js';
import type { CustomAttribute } from '../custom-attributes.js';
import { formatStatus, knownStatuses } from '../employee-attributes.js';
import { CustomField } from './custom-fields.js';
import {
  acceptedFields,
  type EmployeeField,
  type EmployeeForm,
  formFields,
  managerField,
  newStatusField,
} from './employee-form.js';
import { ManagerField, noPerson, type PersonView } from './person-field.js';

/** Form that creates or changes an employee. */
export function EmployeeFields({
  form,
  attributes,
  statuses,
  people,
  ...props
}: {
  form: EmployeeForm;
  /** The custom attributes that are not archived. */
  attributes: readonly CustomAttribute[];
  /** The statuses that the account uses. */
  statuses: readonly string[];
  /** How the fields for an employee show their values; absent: empty. */
  people: ReadonlyMap<string, PersonView>;
  cancel: string;
  button: string;
}) {
  return (
    <Form {...props} hidden={acceptedFields(form)}>
      {formFields.map((field) => {
        const { name } = field;
        const value = form[name] ?? '';
        if (name === 'status') return <StatusField key={name} value={value} statuses={statuses} />;
        if (name === managerField) return <ManagerField key={name} manager={people.get(name) ?? noPerson} />;
        return <InputField key={name} field={field} value={value} />;
      })}
      {attributes.map((attribute) => (
        <CustomField
          key={attribute.key}
          attribute={attribute}
          value={form[attribute.name] ?? ''}
          person={people.get(attribute.name)}
        />
      ))}
    </Form>
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
