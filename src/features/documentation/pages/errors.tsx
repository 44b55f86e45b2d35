import { type Column, DataTable } from '../../../platform/pages/data-table.js';
import type { DescribedError } from '../reference/description.js';
import type { DocumentLinks } from '../reference/links.js';
import { Prose } from './markdown.js';

/** The errors of an operation. Codes link to their pages. */
export function Errors({ errors, links }: { errors: readonly DescribedError[]; links: DocumentLinks }) {
  if (errors.length === 0) return null;
  const columns: readonly Column<DescribedError>[] = [
    { key: 'status', heading: 'Status', label: 'Status', cell: ({ status }) => status },
    {
      key: 'codes',
      heading: 'Code',
      label: 'Code',
      cell: ({ codes }) => (
        <ul class="plain">
          {codes.map((code) => (
            <li key={code}>
              <a href={links.error(code)}>
                <code>{code}</code>
              </a>
            </li>
          ))}
        </ul>
      ),
    },
    { key: 'text', heading: 'Meaning', label: 'Meaning', cell: ({ text }) => <Prose text={text} /> },
  ];
  return (
    <section id="errors">
      <h2>Errors</h2>
      <DataTable
        caption="Errors of the operation"
        columns={columns}
        rows={errors}
        rowKey={({ status }) => status}
      />
    </section>
  );
}
