import { numberText } from '../../../platform/counted.js';
import { isAdministrator } from '../../../platform/pages/audience.js';
import { excelAddress } from '../../../platform/pages/csv-formats.js';
import { DataTable } from '../../../platform/pages/data-table.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { lastPage, Pager, pageNumber } from '../../../platform/pages/pager.js';
import { directoryPath, importPath } from '../../../platform/pages/paths.js';
import { Problem } from '../../../platform/problems/problem.js';
import { formatDirectoryRows } from '../directory-exports.js';
import { maximumMatches, maximumSearchLength } from '../employee-search.js';
import {
  type DirectorySearch,
  directoryAddress,
  directoryExportPath,
  directoryFilter,
  directoryOrder,
  directorySort,
} from './directory-address.js';
import { directoryColumns } from './directory-columns.js';
import { ActiveFilters, DirectorySearchForm } from './directory-search.js';
import { bulkPath, newEmployeePath, orgChartAddress } from './employee-addresses.js';
import type { EmployeePagesDependencies } from './requested.js';

const pageSize = 25;

/** `id` of the form with the selected people. */
const bulkForm = 'bulk';

/** The directory: all employees of the account, for every signed-in user. */
export function directoryPage(
  site: PageRouter,
  { directory, directoryExports }: Pick<EmployeePagesDependencies, 'directory' | 'directoryExports'>,
): void {
  site.forAdministrators().download(directoryExportPath, async (context) => {
    const { text, filter, order } = requestedSearch(context);
    const view = { text, filter, sort: directorySort(order) };
    return {
      fileName: 'people.csv',
      shownRows: formatDirectoryRows,
      make: (signal) => directoryExports.stream(context.auditContext, { view, signal }),
    };
  });

  site.get(directoryPath, async (context) => {
    const search = requestedSearch(context);
    const number = pageNumber(context.query);
    // The cost of a page grows with its number.
    if (number > lastPage(maximumMatches, pageSize)) throw beyondLimit();
    const { employees, count, more, choices } = await directory.read(context.user.accountId, {
      text: search.text,
      filter: search.filter,
      sort: directorySort(search.order),
      size: pageSize,
      skip: (number - 1) * pageSize,
    });
    const mayChange = isAdministrator(context.user);
    const selected = mayChange && context.query.text('select') === 'page';
    const last = lastPage(Math.min(count, maximumMatches), pageSize);
    if (number > last) return { redirect: directoryAddress({ ...search, page: last }) };
    return {
      title: 'People',
      script: 'people.js',
      heading: (
        <div class="heading">
          <h1>People</h1>
          <div class="row-actions">
            <a class="button secondary" href={orgChartAddress()}>
              Org chart
            </a>
            {mayChange && (
              <>
                <a class="button secondary" href={newEmployeePath}>
                  Add employee
                </a>
                <a class="button secondary" href={importPath}>
                  Import
                </a>
              </>
            )}
          </div>
        </div>
      ),
      body: (
        <>
          <DirectorySearchForm search={search} choices={choices} />
          <div id="filters">
            <ActiveFilters search={search} />
          </div>
          <div class="people-bar">
            <p id="count" class="hint" role="status">
              {describeCount(count, more, search.text)}
            </p>
            <p id="exports">
              {mayChange && employees.length > 0 && (
                <>
                  <SelectAllLink {...{ search, page: number, selected }} />
                  <ExportLinks search={search} />
                </>
              )}
            </p>
          </div>
          <div id="results">
            {employees.length > 0 ? (
              <div class="people">
                <DataTable
                  caption="People of your account"
                  columns={directoryColumns(
                    search,
                    mayChange ? { form: bulkForm, all: selected } : undefined,
                  )}
                  rows={employees}
                />
                {mayChange && (
                  <form id={bulkForm} method="get" action={bulkPath} class="bulk-actions">
                    <button type="submit" class="secondary">
                      Change selected people
                    </button>
                    <span id="selected" class="hint" role="status">
                      {selected && `${employees.length} selected`}
                    </span>
                  </form>
                )}
              </div>
            ) : (
              <NoPeople {...search} />
            )}
            <Pager number={number} last={last} address={(page) => directoryAddress({ ...search, page })} />
          </div>
        </>
      ),
    };
  });
}

function requestedSearch({ query }: PageContext): DirectorySearch {
  return {
    text: [...query.text('q')].slice(0, maximumSearchLength).join(''),
    filter: directoryFilter(query),
    order: directoryOrder(query.text('sort')),
  };
}

/** The people of the search as files, with those of all pages. Both are for Excel: users have chosen the values. */
function ExportLinks({ search }: { search: DirectorySearch }) {
  const csv = directoryAddress(search, directoryExportPath);
  return (
    <span>
      Export:{' '}
      <a href={excelAddress(csv)} download>
        CSV
      </a>
      {', '}
      <a href={excelAddress(csv, 'xlsx')} download>
        Excel
      </a>
    </span>
  );
}

/** Selects all people of the page, or none. The script of the page does the same without loading it again. */
function SelectAllLink({
  search,
  page,
  selected,
}: {
  search: DirectorySearch;
  page: number;
  selected: boolean;
}) {
  return (
    <a id="select-all" href={directoryAddress({ ...search, page, selected: !selected })}>
      {selected ? 'Clear selection' : 'Select all on this page'}
    </a>
  );
}

function beyondLimit(): Problem {
  const limit = numberText(maximumMatches);
  return new Problem(
    'not_found',
    `The directory shows at most ${limit} people. Narrow your search to find others.`,
    { page: { heading: 'The list ends before this page' } },
  );
}

function NoPeople({ text, filter }: DirectorySearch) {
  const filtered = Object.keys(filter).length > 0;
  if (text === '' && !filtered) {
    return (
      <div class="empty">
        <p>
          <strong>No people yet.</strong>
        </p>
        <p>
          People appear here when an owner or an administrator adds employees or imports the employee records
          of your account.
        </p>
      </div>
    );
  }
  return (
    <div class="empty">
      <p>
        <strong>
          {text === '' ? 'No people match the filters.' : `No people match “${text}”`}
          {text !== '' && (filtered ? ' and the filters.' : '.')}
        </strong>
      </p>
      <p>
        {text !== '' &&
          'The search matches the start of the words of names, of e-mail addresses and of employee numbers. '}
        <a href={directoryPath}>Show all people</a>
      </p>
    </div>
  );
}

function describeCount(count: number, more: boolean, text: string): string {
  const number = numberText(count);
  const limit = numberText(maximumMatches);
  if (count > maximumMatches) return `${limit} of ${number} shown; narrow your search.`;
  if (more && count === maximumMatches) return `${limit} of more than ${limit} shown; narrow your search.`;
  const people = count === 1 ? '1 person' : `${number} people`;
  const words = more ? `At least ${people}` : people;
  return text === ''
    ? words
    : `${words} for “${text}”${more ? '. Enter more letters to see all matches.' : ''}`;
}
