import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly key: string;
  readonly heading: ComponentChildren;
  /** Text of the heading, for narrow screens. */
  readonly label: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly sorted?: 'ascending' | 'descending' | undefined;
}

/** A column whose heading is its label. */
export function column<Row>(label: string, cell: Column<Row>['cell']): Column<Row> {
  return { key: label, label, heading: label, cell };
}

// Browsers drop the table semantics of elements whose CSS `display` is changed, unless the roles are explicit.
const table = { role: 'table' } as const;
const rowGroup = { role: 'rowgroup' } as const;
const tableRow = { role: 'row' } as const;
const columnHeader = { role: 'columnheader', scope: 'col' } as const;
const dataCell = { role: 'cell' } as const;

/** A table that is displayed as a list of cards on a narrow screen. */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
}: {
  /** Title of the table, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
}) {
  return (
    <table {...table} class="cards">
      <caption>{caption}</caption>
      <thead {...rowGroup}>
        <tr {...tableRow}>
          {columns.map(({ key, heading, sorted }) => (
            <th key={key} {...columnHeader} {...(sorted && { 'aria-sort': sorted })}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...rowGroup}>
        {rows.map((row) => (
          <tr key={rowKey(row)} {...tableRow}>
            {columns.map(({ key, label, cell }) => (
              <td key={key} {...dataCell} data-label={label}>
                <div>{cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
