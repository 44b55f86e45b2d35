import { DataTable } from '../../../platform/pages/data-table.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { lastPage, Pager, pageNumber } from '../../../platform/pages/pager.js';
import { directoryPath, importPath } from '../../../platform/pages/paths.js';
import { isAdministrator } from '../../../platform/pages/sections.js';
import { Problem } from '../../../platform/problems/problem.js';
import type { Directory } from '../directory.js';
import { maximumMatches, maximumSearchLength } from '../employee-search.js';
import {
  type DirectorySearch,
  directoryAddress,
  directoryFilter,
  directoryOrder,
  directorySort,
} from './directory-address.js';
import { directoryColumns } from './directory-columns.js';
import { ActiveFilters, DirectorySearchForm } from './directory-search.js';
import { newEmployeePath } from './employee-pages.js';

const pageSize = 25;

/** The directory: all employees of the account, for every signed-in user. */
export function directoryPage(site: PageRouter, { directory }: { directory: Directory }): void {
  site.get(directoryPath, async (context) => {
    const search: DirectorySearch = {
      text: [...context.query.text('q')].slice(0, maximumSearchLength).join(''),
      filter: directoryFilter(context.query),
      order: directoryOrder(context.query.text('sort')),
    };
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
    const last = lastPage(Math.min(count, maximumMatches), pageSize);
    if (number > last) return { redirect: directoryAddress({ ...search, page: last }) };
    return {
      title: 'People',
      heading: (
        <div class="heading">
          <h1>People</h1>
          {isAdministrator(context.user) && (
            <div class="row-actions">
              <a class="button secondary" href={newEmployeePath}>
                Add employee
              </a>
              <a class="button secondary" href={importPath}>
                Import
              </a>
            </div>
          )}
        </div>
      ),
      body: (
        <>
          <DirectorySearchForm search={search} choices={choices} />
          <ActiveFilters search={search} />
          <p class="hint" role="status">
            {describeCount(count, more, search.text)}
          </p>
          {employees.length > 0 ? (
            <DataTable
              caption="People of your account"
              columns={directoryColumns(search)}
              rows={employees}
              rowKey={({ id }) => id}
            />
          ) : (
            <NoPeople {...search} />
          )}
          <Pager number={number} last={last} address={(page) => directoryAddress({ ...search, page })} />
        </>
      ),
    };
  });
}

function beyondLimit(): Problem {
  const limit = maximumMatches.toLocaleString('en');
  return new Problem(
    'not_found',
    `The directory shows at most ${limit} people. Narrow your search to find others.`,
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
  const number = count.toLocaleString('en');
  const limit = maximumMatches.toLocaleString('en');
  if (count > maximumMatches) return `${limit} of ${number} shown; narrow your search.`;
  if (more && count === maximumMatches) return `${limit} of more than ${limit} shown; narrow your search.`;
  const people = count === 1 ? '1 person' : `${number} people`;
  const words = more ? `At least ${people}` : people;
  return text === ''
    ? words
    : `${words} for “${text}”${more ? '. Enter more letters to see all matches.' : ''}`;
}
