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
  readonly meta: {
    readonly record_count: number;
    readonly next_cursor: string | null;
    readonly search_truncated?: boolean;
  };
  readonly links: Readonly<Record<'first' | 'prev' | 'next' | 'last', string | null>>;
}

export type Stored = TestEmployee & { readonly id: string };

/** Parameters of a query; an array for one that is repeated. */
export type Query = Readonly<Record<string, string | readonly string[]>>;

export const attributeNames = employeeAttributes.map(({ name }) => name);

export function addressOf(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((text) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`),
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

/** The values of a filter, one of which a record must have; an empty one means no value. */
function wantedValues(name: string, given: string | readonly string[]): readonly string[] {
  return ['id', 'status'].includes(name) ? String(given).split(',') : [given].flat();
}

/** Whether a record matches a `filter[…]` parameter. The search is not one of them. */
function matches(record: Stored, parameter: string, given: string | readonly string[]): boolean {
  const [, name = '', bound] = /^filter\[(\w+)\](?:\[(\w+)\])?$/.exec(parameter) ?? [];
  if (name === '') return true;
  if (name === 'id') return wantedValues(name, given).includes(record.id);
  if (name === 'updated_since') return record.updatedAt.getTime() >= Date.parse(String(given));
  const value = wireValue(record, name as AttributeName);
  if (bound === undefined) return wantedValues(name, given).includes(value ?? '');
  if (value === null) return false;
  const order = Date.parse(value) - Date.parse(String(given));
  return bound === 'gte' ? order >= 0 : order < 0;
}

function sortKeys(sort: string): { name: AttributeName; sign: number }[] {
  return sort.split(',').map((key) => ({
    name: key.replace(/^-/, '') as AttributeName,
    sign: key.startsWith('-') ? -1 : 1,
  }));
}

/** The expected list, computed in memory. Equal records are in the order of their ids, in the direction of the last key. */
export function naive(records: readonly Stored[], query: Query): Stored[] {
  const kept = records.filter((record) =>
    Object.entries(query).every(([parameter, given]) => matches(record, parameter, given)),
  );
  const keys = query.sort === undefined ? [] : sortKeys(String(query.sort));
  return kept.sort((a, b) => {
    for (const { name, sign } of keys) {
      const order = compare(wireValue(a, name), wireValue(b, name));
      if (order !== 0) return order * sign;
    }
    return bytewise(a.id, b.id) * (keys.at(-1)?.sign ?? 1);
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
