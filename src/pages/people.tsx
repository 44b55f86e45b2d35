import type { Database } from '../database/client.js';
import type { Employee } from '../services/employees/employee.js';
import { maximumSearchLength } from '../services/employees/employee-search.js';
import { listEmployees } from '../services/employees/list-employees.js';
import { type Column, DataTable } from './data-table.js';
import { directoryOrder, directoryOrders, directorySort } from './directory-order.js';
import { lastPage, Pager, pageNumber } from './pager.js';
import { home } from './return-to.js';
import type { Site } from './site.js';
import { SitePage } from './site-page.js';

const pageSize = 25;

interface Search {
  readonly text: string;
  readonly order: string;
}

/** The directory: every employee of the account, for everybody who signs in. */
export function peoplePage(site: Site, { database }: { database: Database }): void {
  site.get(home, async (visit) => {
    const text = visit.query.text('q').slice(0, maximumSearchLength);
    const search: Search = { text, order: directoryOrder(visit.query.text('sort')) };
    const number = pageNumber(visit.query);
    const { employees, recordCount } = await listEmployees(database, visit.user.accountId, {
      filter: text === '' ? {} : { search: text },
      sort: directorySort(search.order),
      size: pageSize,
      from: { skip: (number - 1) * pageSize },
    });
    const last = lastPage(recordCount, pageSize);
    if (number > last) return { goTo: addressOf({ ...search, page: last }) };
    return {
      page: (
        <SitePage visit={visit} title="People">
          <h1>People</h1>
          <SearchForm {...search} />
          <p class="hint" role="status">
            {countWords(recordCount, text)}
          </p>
          {employees.length > 0 ? (
            <DataTable
              caption="People of your account"
              columns={columnsFor(search)}
              rows={employees}
              rowKey={({ id }) => id}
            />
          ) : (
            <NoPeople text={text} />
          )}
          <Pager number={number} last={last} address={(page) => addressOf({ ...search, page })} />
        </SitePage>
      ),
    };
  });
}

function SearchForm({ text, order }: Search) {
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
            {directoryOrders.map(({ value, words }) => (
              <option key={value} value={value} selected={value === order}>
                {words}
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
            <strong>Nobody is here yet.</strong>
          </p>
          <p>People appear when the account's employee records are imported.</p>
        </>
      ) : (
        <>
          <p>
            <strong>Nobody matches “{text}”.</strong>
          </p>
          <p>
            The search looks at how first names, last names, e-mail addresses and employee numbers begin.{' '}
            <a href={home}>Show everybody</a>
          </p>
        </>
      )}
    </div>
  );
}

function columnsFor({ text, order }: Search): Column<Employee>[] {
  const sortable = (key: string, label: string, cell: Column<Employee>['cell']): Column<Employee> => {
    const ascending = order === key;
    const sorted = ascending ? 'ascending' : order === `-${key}` ? 'descending' : undefined;
    const next = ascending ? `-${key}` : key;
    const mark = sorted === undefined ? '' : ascending ? ' ↑' : ' ↓';
    return {
      key,
      label,
      sorted,
      cell,
      heading: (
        <a href={addressOf({ text, order: next })}>
          {label}
          <span aria-hidden="true">{mark}</span>
        </a>
      ),
    };
  };
  return [
    sortable('name', 'Name', ({ firstName, lastName }) => (
      <strong>
        {lastName}, {firstName}
      </strong>
    )),
    sortable('number', 'Number', ({ employeeNumber }) => employeeNumber),
    { key: 'email', label: 'E-mail', heading: 'E-mail', cell: ({ email }) => <Email address={email} /> },
    sortable('department', 'Department', ({ department }) => department),
    sortable('status', 'Status', ({ status }) => <span class="badge">{statusWords(status)}</span>),
  ];
}

/** On a narrow screen the line breaks before the domain. */
function Email({ address }: { address: string }) {
  const [name, ...domain] = address.split('@');
  return (
    <>
      {name}
      {domain.length > 0 && (
        <>
          <wbr />@{domain.join('@')}
        </>
      )}
    </>
  );
}

/** Any text can be a status; those that the service knows of read like words. */
function statusWords(status: string): string {
  const words = status.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function countWords(count: number, text: string): string {
  const people = count === 1 ? '1 person' : `${count.toLocaleString('en')} people`;
  return text === '' ? people : `${people} for “${text}”`;
}

function addressOf({ text, order, page = 1 }: Search & { page?: number }): string {
  const query = new URLSearchParams();
  if (text !== '') query.set('q', text);
  if (order !== directoryOrders[0].value) query.set('sort', order);
  if (page > 1) query.set('page', String(page));
  return query.size === 0 ? home : `${home}?${query}`;
}
