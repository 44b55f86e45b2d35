import { maximumSearchLength } from '../services/employees/employee-search.js';
import type { Employees } from '../services/employees/employees.js';
import { DataTable } from './data-table.js';
import {
  type DirectorySearch,
  directoryAddress,
  directoryOrder,
  directoryOrders,
  directorySort,
} from './directory-address.js';
import { directoryColumns } from './directory-columns.js';
import { lastPage, Pager, pageNumber } from './pager.js';
import { home } from './return-to.js';
import type { Site } from './site.js';
import { SitePage } from './site-page.js';

const pageSize = 25;

/** The directory: all employees of the account, for every signed-in user. */
export function peoplePage(site: Site, { employees }: { employees: Employees }): void {
  site.get(home, async (context) => {
    const text = context.query.text('q').slice(0, maximumSearchLength);
    const search: DirectorySearch = { text, order: directoryOrder(context.query.text('sort')) };
    const number = pageNumber(context.query);
    const { employees: people, recordCount } = await employees.search(context.user.accountId, {
      text,
      sort: directorySort(search.order),
      size: pageSize,
      skip: (number - 1) * pageSize,
    });
    const last = lastPage(recordCount, pageSize);
    if (number > last) return { redirect: directoryAddress({ ...search, page: last }) };
    return {
      page: (
        <SitePage context={context} title="People">
          <h1>People</h1>
          <SearchForm {...search} />
          <p class="hint" role="status">
            {countWords(recordCount, text)}
          </p>
          {people.length > 0 ? (
            <DataTable
              caption="People of your account"
              columns={directoryColumns(search)}
              rows={people}
              rowKey={({ id }) => id}
            />
          ) : (
            <NoPeople text={text} />
          )}
          <Pager number={number} last={last} address={(page) => directoryAddress({ ...search, page })} />
        </SitePage>
      ),
    };
  });
}

function SearchForm({ text, order }: DirectorySearch) {
  return (
    <search>
      <form method="get" action={home} class="search">
        <div>
          <label for="q">Name, e-mail address or number</label>
          <input
            type="search"
            id="q"
            name="q"
            value={text}
            maxLength={maximumSearchLength}
            autocomplete="off"
          />
        </div>
        <div>
          <label for="sort">Order</label>
          <select id="sort" name="sort">
            {directoryOrders.map(({ value, label }) => (
              <option key={value} value={value} selected={value === order}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

function NoPeople({ text }: { text: string }) {
  return (
    <div class="empty">
      {text === '' ? (
        <>
          <p>
            <strong>No people yet.</strong>
          </p>
          <p>People appear here when the employee records of your account are imported.</p>
        </>
      ) : (
        <>
          <p>
            <strong>No people match “{text}”.</strong>
          </p>
          <p>
            The search matches the start of first names, last names, e-mail addresses and employee numbers.{' '}
            <a href={home}>Show all people</a>
          </p>
        </>
      )}
    </div>
  );
}

function countWords(count: number, text: string): string {
  const people = count === 1 ? '1 person' : `${count.toLocaleString('en')} people`;
  return text === '' ? people : `${people} for “${text}”`;
}
