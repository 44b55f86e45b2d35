import { DataTable } from '../../../platform/pages/data-table.js';
import { changedFields, type EmployeeForm, formFields } from './employee-form.js';

/** The saved values that differ from those of the form, because another user has changed them. */
export function Conflict({ form, stored }: { form: EmployeeForm; stored: EmployeeForm }) {
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
