import type { ComponentChildren } from 'preact';

/** What a page shows instead of a list without rows. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  );
}

export interface Column<Row> {
  /** Text of the heading, also for narrow screens. */
  readonly label: string;
  /** Default: the label. */
  readonly heading?: ComponentChildren;
  readonly cell: (row: Row) => ComponentChildren;
  readonly sorted?: 'ascending' | 'descending' | undefined;
  /** Numbers are right-aligned. Numbers and short texts, such as ids, are not wrapped. Default: text of any length. */
  readonly kind?: 'number' | 'short';
  /** Whether it names the record: cards begin with it. Default: the first column, if no other names the record. */
  readonly isName?: boolean;
}

/** A column whose heading is its label. */
export function column<Row>(
  label: string,
  cell: Column<Row>['cell'],
  options: Pick<Column<Row>, 'kind' | 'isName'> = {},
): Column<Row> {
  return { label, cell, ...options };
}

// Browsers drop the table semantics of elements whose CSS `display` is changed, unless the roles are explicit.
const table = { role: 'table' } as const;
const rowGroup = { role: 'rowgroup' } as const;
const tableRow = { role: 'row' } as const;
const columnHeader = { role: 'columnheader', scope: 'col' } as const;
const dataCell = { role: 'cell' } as const;

/**
 * A table, which scrolls within its frame when it is wider than the page. On a narrow screen it is a list of cards. The frame
 * can have the focus, so that the keyboard scrolls it.
 */
export function DataTable<Row>({
  caption,
  columns,
  rows,
}: {
  /** Title of the table, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
}) {
  const hasName = columns.some(({ isName }) => isName);
  const classes = columns.map(({ kind, isName = false }, index) => {
    const heads = hasName ? isName : index === 0;
    const names = [...(kind === undefined ? [] : [kind]), ...(heads ? ['name'] : [])];
    return names.length === 0 ? {} : { class: names.join(' ') };
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a region that has the focus
    <section class="table" tabIndex={0} aria-label={caption}>
      <table {...table} class="cards">
        <caption>{caption}</caption>
        <thead {...rowGroup}>
          <tr {...tableRow}>
            {columns.map(({ label, heading = label, sorted }, index) => (
              <th key={index} {...columnHeader} {...classes[index]} {...(sorted && { 'aria-sort': sorted })}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...rowGroup}>
          {rows.map((row, position) => (
            <tr key={position} {...tableRow}>
              {columns.map(({ label, cell }, index) => (
                <td key={index} {...dataCell} {...classes[index]} data-label={label}>
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
