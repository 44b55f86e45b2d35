import { isDateText } from '../../../platform/contract/outside-text.js';
import { column, DataTable } from '../../../platform/pages/data-table.js';
import { Form, type HiddenFields, TextField } from '../../../platform/pages/form-parts.js';
import { knownStatuses } from '../employee-attributes.js';
import { changedFields, type EmployeeField, type EmployeeForm, formFields } from './employee-form.js';

/** The saved values that differ from those of the form, because another user has changed them. */
function Conflict({ form, stored }: { form: EmployeeForm; stored: EmployeeForm }) {
  const changed = changedFields(form, stored);
  return (
    <section aria-labelledby="conflict">
      <h2 id="conflict">Saved values</h2>
      <DataTable
        caption="Values that differ"
        columns={[
          column<EmployeeField>('Attribute', ({ label }) => label),
          column<EmployeeField>('Saved', ({ name }) => <Value text={stored[name]} />),
          column<EmployeeField>('Yours', ({ name }) => <Value text={form[name]} />),
        ]}
        rows={formFields.filter(({ name }) => changed.includes(name))}
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
  stored,
  ...props
}: {
  form: EmployeeForm;
  /** The saved values, when another user has changed them meanwhile. */
  stored?: EmployeeForm | undefined;
  hidden?: HiddenFields;
  cancel: string;
  button: string;
}) {
  return (
    <>
      {stored !== undefined && <Conflict form={form} stored={stored} />}
      <Form {...props}>
        {formFields.map((field) => (
          <InputField key={field.name} field={field} value={form[field.name] ?? ''} />
        ))}
        <datalist id={statusesId}>
          {knownStatuses.map((status) => (
            <option key={status} value={status} />
          ))}
        </datalist>
      </Form>
    </>
  );
}

const statusesId = 'statuses';

function InputField({
  field: { name, label, type, nullable },
  value,
}: {
  field: EmployeeField;
  value: string;
}) {
  // Browsers show no value in a date field that is not a date.
  const isDate = type === 'date' && (value === '' || isDateText(value));
  const hint = name === 'status' ? `${knownStatuses.join(', ')}, or another status.` : undefined;
  return (
    <TextField
      id={name}
      label={nullable ? `${label} (optional)` : label}
      type={isDate ? 'date' : 'text'}
      value={value}
      autocomplete="off"
      required={!nullable}
      {...(hint !== undefined && { hint, list: statusesId })}
    />
  );
}
