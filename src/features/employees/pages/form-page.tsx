import { isDateText } from '../../../platform/contract/outside-text.js';
import { DataTable } from '../../../platform/pages/data-table.js';
import { ErrorSummary, type FormError, TextField } from '../../../platform/pages/form-parts.js';
import { CsrfField } from '../../../platform/pages/layout.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { type Crumb, SitePage } from '../../../platform/pages/site-page.js';
import { knownStatuses } from './directory-columns.js';
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
          { key: 'attribute', label: 'Attribute', heading: 'Attribute', cell: ({ label }) => label },
          {
            key: 'saved',
            label: 'Saved',
            heading: 'Saved',
            cell: ({ name }) => <Value text={stored[name]} />,
          },
          { key: 'yours', label: 'Yours', heading: 'Yours', cell: ({ name }) => <Value text={form[name]} /> },
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
export function EmployeeFormPage({
  context,
  title,
  parent,
  action,
  back,
  button,
  form,
  errors = [],
  version,
  stored,
}: {
  context: PageContext;
  title: string;
  parent?: Crumb;
  action: string;
  back: string;
  button: string;
  form: EmployeeForm;
  errors?: readonly FormError[];
  /** Version of the employee that is edited. */
  version?: string;
  /** The saved values, when another user has changed them meanwhile. */
  stored?: EmployeeForm;
}) {
  const messages = new Map(errors.map(({ field, message }) => [field, message]));
  return (
    <SitePage context={context} title={title} hasErrors={errors.length > 0} {...(parent && { parent })}>
      <h1>{title}</h1>
      <ErrorSummary errors={errors} />
      {stored !== undefined && <Conflict form={form} stored={stored} />}
      <form method="post" action={action} noValidate class="fields">
        <CsrfField token={context.csrfToken} />
        {version !== undefined && <input type="hidden" name="version" value={version} />}
        {formFields.map((field) => (
          <InputField
            key={field.name}
            field={field}
            value={form[field.name] ?? ''}
            error={messages.get(field.name)}
          />
        ))}
        <datalist id={statusesId}>
          {knownStatuses.map((status) => (
            <option key={status} value={status} />
          ))}
        </datalist>
        <div class="actions">
          <button type="submit">{button}</button>
          <a href={back}>Cancel</a>
        </div>
      </form>
    </SitePage>
  );
}

const statusesId = 'statuses';

function InputField({
  field: { name, label, type, nullable },
  value,
  error,
}: {
  field: EmployeeField;
  value: string;
  error: string | undefined;
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
      error={error}
      autocomplete="off"
      required={!nullable}
      {...(hint !== undefined && { hint, list: statusesId })}
    />
  );
}
