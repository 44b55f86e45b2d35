import type { Test } from 'tap';
import {
  type AttributeName,
  employeeAttributes,
} from '../../../src/features/employees/employee-attributes.js';
import type { TestApp } from '../server/app.js';
import { attributesOf } from './employee-attributes.js';
import { createTenant, makeEmployees, type TestEmployee } from './tenant.js';

interface Listed {
  readonly id: string;
  readonly type: string;
  readonly attributes: Readonly<Record<string, string | null>>;
}

export interface Page {
  readonly data: readonly Listed[];
  readonly meta: { readonly record_count: number; readonly next_cursor: string | null };
  readonly links: Readonly<Record<'first' | 'prev' | 'next' | 'last', string | null>>;
}

type Stored = TestEmployee & { readonly id: string };

export type Query = Readonly<Record<string, string>>;

export const attributeNames = employeeAttributes.map(({ name }) => name);

export function addressOf(query: Query): string {
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return `/v1/employees?${pairs.join('&')}`;
}

export const ids = (page: Page): string[] => page.data.map(({ id }) => id);

export function bytewise(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export function wireValue(record: Stored, name: AttributeName): string | null {
  return attributesOf(record)[name] ?? null;
}

/** The order of two values: `null` comes after every other value. */
function compare(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return bytewise(a, b);
}

function sortKeys(sort: string): { name: AttributeName; sign: number }[] {
  return sort.split(',').map((key) => ({
    name: key.replace(/^-/, '') as AttributeName,
    sign: key.startsWith('-') ? -1 : 1,
  }));
}

/** The expected list, computed in memory. Equal records are in the order of their ids. */
export function naive(records: readonly Stored[], query: Query): Stored[] {
  const since = query['filter[updated_since]'];
  const kept = records.filter(
    (record) =>
      (['status', 'department', 'employee_number', 'email'] as const).every((name) => {
        const wanted = query[`filter[${name}]`];
        return wanted === undefined || wireValue(record, name) === wanted;
      }) &&
      (since === undefined || record.updatedAt.getTime() >= Date.parse(since)),
  );
  const keys = query.sort === undefined ? [] : sortKeys(query.sort);
  return kept.sort((a, b) => {
    for (const { name, sign } of keys) {
      const order = compare(wireValue(a, name), wireValue(b, name));
      if (order !== 0) return order * sign;
    }
    return bytewise(a.id, b.id);
  });
}

/** Names whose order differs by UTF-8, by UTF-16, by dictionary and by letter case, and text that is hard to quote. */
export function awkwardEmployees(): TestEmployee[] {
  const names =
    'Zoe|zoe|Émile|Emile|emile|Ångström|\u{1F600}|\uFF61|\uFFFD|𝒜da|李|ß|SS|O’Hara|O\'Hara|a b|a+b|a&b|a%20b|a#b|a,b|"quoted"|\\|_|-|~|0|10|9'.split(
      '|',
    );
  return makeEmployees(names.length * 2).map((employee, index) => ({
    ...employee,
    firstName: names[(index * 5) % names.length] ?? '',
    lastName: names[(index * 3) % names.length] ?? '',
    department: ['R&D + Co #1 100%', 'Sales', 'sales', 'Ventas & Compañía', '"x"=y'][index % 5] ?? '',
  }));
}

/** Reads the list of employees of accounts that a test creates. */
export function employeeLists(api: TestApp) {
  /** Creates an account with these employees. */
  async function setUp(employees: readonly TestEmployee[]) {
    const tenant = await createTenant(api.database, { employees });
    const token = await api.token(tenant.application);
    const records: Stored[] = employees.map((employee, index) => ({
      ...employee,
      id: tenant.employeeIds[index] ?? '',
    }));
    return { tenant, token, records, list: (query: Query = {}) => read(addressOf(query), token) };
  }

  async function read(url: string, token: string): Promise<Page> {
    const response = await api.get(url.replace(/^http:\/\/api\.test/, ''), token);
    if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${response.body}`);
    return response.json();
  }

  /** Expects 400 `invalid_request` that names only this parameter. */
  async function refuses(t: Test, url: string, token: string, parameter: string, rule = /./): Promise<void> {
    const response = await api.get(url, token);
    const problem = response.json();
    t.equal(response.statusCode, 400, url.slice(0, 200));
    t.equal(problem.code, 'invalid_request');
    t.same(
      [...new Set(problem.errors?.map((error: { parameter: string }) => error.parameter))],
      [parameter],
      `${url.slice(0, 200)} is rejected because of ${parameter}`,
    );
    t.match(problem.errors?.[0]?.detail, rule, url.slice(0, 200));
  }

  return { setUp, read, refuses };
}
