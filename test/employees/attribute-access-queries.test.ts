import { operationOf } from '../../src/platform/contract/contract.js';
import {
  type RestrictableAttribute,
  restrictableAttributes,
} from '../../src/platform/contract/employee-attributes.js';
import { callTool, mcpToken } from '../support/mcp/call-tool.js';
import {
  markedValues,
  markersIn,
  type Restricted,
  received,
  restrict,
  restrictedSets,
} from '../support/records/attribute-access.js';
import { addressOf, attributeNames, type Query } from '../support/records/employee-list.js';
import { parseCsv } from '../support/records/reports.js';
import { sendJson } from '../support/records/send-json.js';
import { createApplication, createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp, contract } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const employees = makeEmployees(4).map((employee, index) => ({ ...employee, ...markedValues(index) }));
const tenant = await createTenant(api.database, { employees });
await restrict(api, tenant.application, []);
const everything = await api.token(tenant.application);
const reader = await createApplication(api.database, tenant.accountId);
const token = await api.token(reader);

interface Answer {
  readonly statusCode: number;
  readonly body: string;
}

/** Whether a response is 400 `invalid_request` with errors at this parameter only, one of which names the attribute. */
function isRefusal({ statusCode, body }: Answer, parameter: string, attribute: string): boolean {
  if (statusCode !== 400) return false;
  const { code, errors = [] }: { code: string; errors?: { parameter?: string; detail: string }[] } =
    JSON.parse(body);
  return (
    code === 'invalid_request' &&
    errors.length > 0 &&
    errors.every((error) => error.parameter === parameter) &&
    errors.some(({ detail }) => namesIn(detail).includes(attribute))
  );
}

/** The words of a sentence that are names of attributes. */
function namesIn(detail: string): string[] {
  const words: readonly string[] = detail.match(/[a-z]+(_[a-z]+)*/g) ?? [];
  return attributeNames.filter((name) => words.includes(name));
}

/** The attribute that a parameter of the list is about; `undefined` if it is about none, or about several. */
const subjectOf = (parameter: string) => /^filter\[(\w+)\]/.exec(parameter)?.[1];

const { queryParameters } = operationOf(contract, 'listEmployees');
const filters = [...queryParameters.values()].filter(({ name }) => name.startsWith('filter['));

t.test(
  'every attribute that an application may not read is rejected in every filter, and no other one is',
  async (t) => {
    const filtered = restrictableAttributes.filter((name) =>
      filters.some((filter) => subjectOf(filter.name) === name),
    );
    t.same(filtered, restrictableAttributes, 'there is a filter for each of them');
    for (const restricted of restrictedSets) {
      await restrict(api, reader, restricted);
      const faults: string[] = [];
      for (const parameter of filters) {
        const { name, example } = parameter as typeof parameter & { example?: string };
        const subject = restricted.find((attribute) => attribute === subjectOf(name));
        const address = addressOf({ 'filter[status]': 'active', [name]: String(example) });
        const response = await api.get(address, token);
        const isRight =
          subject === undefined ? response.statusCode === 200 : isRefusal(response, name, subject);
        if (!isRight) faults.push(`${address}: ${response.body}`);
      }
      t.same(faults, [], `without ${restricted}`);
    }
  },
);

t.test('the rejection does not depend on whether an employee has the value', async (t) => {
  await restrict(api, reader, restrictableAttributes);
  const [employee] = employees;
  for (const [name, value] of [
    ['filter[job_title]', employee?.jobTitle],
    ['filter[location]', employee?.location],
    ['filter[manager_id]', employee?.managerId],
    ['filter[hire_date][gte]', employee?.hireDate],
    ['filter[termination_date][lt]', employee?.terminationDate],
  ] as const) {
    const answers = await Promise.all(
      [String(value), '2000-01-01'].map(async (given) =>
        (await api.get(addressOf({ [name]: given }), token)).json(),
      ),
    );
    const [found, unknown] = answers.map(({ request_id: _id, ...problem }) => problem);
    t.same(found, unknown, name);
    t.equal(found.code, 'invalid_request');
  }
});

t.test(
  'every attribute that an application may not read is rejected as a sort key, and no other one is',
  async (t) => {
    const rule = queryParameters.get('sort')?.schema['x-rule'] as { values: readonly string[] } | undefined;
    const keys = rule?.values ?? [];
    t.same(keys, attributeNames, 'every attribute is a sort key');
    for (const restricted of restrictedSets) {
      await restrict(api, reader, restricted);
      const faults: string[] = [];
      for (const key of keys) {
        const subject = restricted.find((attribute) => attribute === key);
        for (const sort of [key, `status,-${key},email`]) {
          const response = await api.get(addressOf({ sort }), token);
          const isRight =
            subject === undefined ? response.statusCode === 200 : isRefusal(response, 'sort', subject);
          if (!isRight) faults.push(`sort=${sort}: ${response.body}`);
        }
      }
      t.same(faults, [], `without ${restricted}`);
    }
  },
);

t.test('a tool call with such a filter or sort key is a tool error that names the attribute', async (t) => {
  const toolToken = await mcpToken(api, reader);
  for (const [given, attribute] of [
    [{ filter_location: 'London' }, 'location'],
    [{ filter_hire_date_gte: '2020-01-01' }, 'hire_date'],
    [{ sort: 'last_name,-manager_id' }, 'manager_id'],
  ] as const) {
    for (const restricted of [[attribute], []] as Restricted[]) {
      await restrict(api, reader, restricted);
      const { isError = false, content } = (await callTool(api, toolToken, 'listEmployees', given)).json()
        .result;
      t.equal(isError, restricted.length > 0, content[0].text);
      if (isError) t.ok(content[0].text.includes(attribute), content[0].text);
    }
  }
});

t.test(
  'a cursor of an order by an attribute is useless after the application lost access to it',
  async (t) => {
    for (const attribute of restrictableAttributes) {
      await restrict(api, reader, []);
      const query = { sort: attribute, 'page[size]': '2' };
      const { meta } = (await api.get(addressOf(query), token)).json();
      t.ok(meta.next_cursor);
      await restrict(api, reader, [attribute]);
      const variants: readonly Query[] = [query, {}, { sort: 'email' }];
      for (const variant of variants) {
        const response = await api.get(addressOf({ ...variant, 'page[after]': meta.next_cursor }), token);
        t.equal(response.statusCode, 400, response.body);
        t.notOk(markersIn(received(response)).includes(attribute));
      }
    }
  },
);

const dates: readonly RestrictableAttribute[] = ['hire_date', 'termination_date'];

/** Reports that depend on an attribute, each with a different part of its definition. */
function reportsOn(attribute: RestrictableAttribute): object[] {
  const isDate = dates.includes(attribute);
  const value = isDate ? '2020-01-01' : 'x';
  const columns = ['last_name'];
  const filter = (operator: string, others: object = {}) => ({
    columns,
    filters: [{ field: attribute, operator, ...others }],
  });
  return [
    filter('eq', { value }),
    filter('not_in', { value: [value, isDate ? 'start_of_month' : 'y'] }),
    filter('empty'),
    isDate ? filter('on_or_after', { value: '-90d' }) : filter('contains', { value }),
    { columns, sort: [attribute] },
    { columns, sort: ['last_name', `-${attribute}`] },
    { group_by: [attribute] },
    { group_by: ['department', attribute], sort: ['-count'] },
    { columns: [attribute] },
    ...(attribute === 'hire_date'
      ? [{ group_by: ['hire_year'] }, { group_by: ['department', 'hire_month'], sort: ['-hire_month'] }]
      : []),
    ...(attribute === 'termination_date'
      ? [{ group_by: ['termination_year'] }, { group_by: ['department', 'termination_month'] }]
      : []),
    ...(isDate ? [{ group_by: ['department'], measures: [{ function: 'maximum', field: attribute }] }] : []),
  ];
}

const create = async (report: object): Promise<string> => {
  const body = { title: 'A report', ...report };
  const response = await sendJson(api, { url: '/v1/reports', token: everything, body });
  if (response.statusCode !== 201) throw new Error(`${JSON.stringify(report)}: ${response.body}`);
  return response.json().data.id;
};

for (const attribute of restrictableAttributes) {
  t.test(
    `a report that filters, sorts or groups by ${attribute}, or shows nothing else, is rejected without access to it only`,
    async (t) => {
      const saved: { report: object; id: string }[] = [];
      for (const report of reportsOn(attribute)) saved.push({ report, id: await create(report) });
      const others = restrictableAttributes.filter((name) => name !== attribute);
      for (const restricted of [[attribute], others, restrictableAttributes, []]) {
        await restrict(api, reader, restricted);
        const faults: string[] = [];
        for (const { report, id } of saved) {
          for (const path of [`/v1/reports/${id}/results`, `/v1/reports/${id}/results.csv`]) {
            const response = await api.get(path, token);
            const isRight = restricted.includes(attribute)
              ? isRefusal(response, 'report_id', attribute)
              : response.statusCode === 200;
            if (!isRight)
              faults.push(`${path} ${JSON.stringify(report)}: ${response.statusCode} ${response.body}`);
          }
        }
        t.same(faults, [], `without ${restricted}`);
        const whole = await api.get(`/v1/reports/${saved[0]?.id}/results`, everything);
        t.equal(whole.statusCode, 200, 'another application runs it');
      }
    },
  );
}

t.test('a report that is computed from both dates is rejected without access to one of them', async (t) => {
  const tenure = { function: 'average', field: 'tenure' };
  const reports = [
    { group_by: ['tenure_band'] },
    { group_by: ['employed_month'], sort: ['-count'] },
    { group_by: ['department', 'employed_month'] },
    { group_by: ['department'], measures: [tenure], sort: ['average_tenure'] },
  ];
  for (const report of reports) {
    const id = await create(report);
    for (const restricted of [['hire_date'], ['termination_date'], ['location', 'job_title']] as const) {
      await restrict(api, reader, restricted);
      for (const path of [`/v1/reports/${id}/results`, `/v1/reports/${id}/results.csv`]) {
        const response = await api.get(path, token);
        const label = `${JSON.stringify(report)} without ${restricted}`;
        if (restricted[0] === 'location') t.equal(response.statusCode, 200, label);
        else t.ok(isRefusal(response, 'report_id', restricted[0]), label);
      }
    }
  }
});

t.test(
  'a report whose columns are all restricted is rejected, and otherwise those are left out',
  async (t) => {
    const columns = ['location', 'job_title', 'manager_id'];
    const id = await create({ columns, sort: ['email'] });
    for (const [restricted, left] of [
      [['job_title'], ['location', 'manager_id']],
      [['location', 'manager_id'], ['job_title']],
      [['hire_date', 'termination_date'], columns],
    ] as [Restricted, string[]][]) {
      await restrict(api, reader, restricted);
      const { data, meta } = (await api.get(`/v1/reports/${id}/results`, token)).json();
      t.same(
        meta.columns.map(({ key }: { key: string }) => key),
        left,
      );
      t.same(meta.restricted, restricted);
      for (const { attributes } of data) t.same(Object.keys(attributes), left, 'in the order of the report');
      const [header, ...rows] = parseCsv((await api.get(`/v1/reports/${id}/results.csv`, token)).body);
      t.same(header, left);
      t.same(
        rows,
        data.map(({ attributes }: { attributes: object }) => Object.values(attributes)),
      );
    }
    await restrict(api, reader, ['job_title', 'location', 'manager_id']);
    for (const path of [`/v1/reports/${id}/results`, `/v1/reports/${id}/results.csv`]) {
      const response = await api.get(path, token);
      const named = columns.filter((name) => isRefusal(response, 'report_id', name));
      t.ok(named.length > 0, `${path}: ${response.body}`);
    }
  },
);
