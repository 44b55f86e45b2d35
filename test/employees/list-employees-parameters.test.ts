import { employeeLists } from '../support/records/employee-list.js';
import { makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { setUp, refuses } = employeeLists(api);

t.test('accepts brackets raw and percent-encoded', async (t) => {
  const { token } = await setUp(makeEmployees(5));
  const spellings = [
    'page[size]=2&page[number]=2',
    'page%5Bsize%5D=2&page%5Bnumber%5D=2',
    'page%5bsize]=2&page[number%5d=2',
  ];
  const bodies = await Promise.all(
    spellings.map(async (query) => (await api.get(`/v1/employees?${query}`, token)).json()),
  );
  t.equal(bodies[0].data.length, 2);
  for (const body of bodies) t.same(body, bodies[0]);
});

t.test('rejects a page number or size out of bounds and names the bound', async (t) => {
  const { token } = await setUp([]);
  const cases = [
    ['page[number]', '0', /1/],
    ['page[number]', '-1', /1/],
    ['page[number]', '1000000001', /1000000000/],
    ['page[number]', '99999999999999999999999', /1000000000/],
    ['page[size]', '0', /1/],
    ['page[size]', '-1', /1/],
    ['page[size]', '501', /500/],
    ['page[size]', '1000000000', /500/],
  ] as const;
  for (const [parameter, value, bound] of cases) {
    await refuses(t, `/v1/employees?${parameter}=${value}`, token, parameter, bound);
    await refuses(t, `/v1/employees?${encodeURIComponent(parameter)}=${value}`, token, parameter, bound);
  }
});

t.test('rejects a page number or size that is not a decimal number, and names the bounds', async (t) => {
  const { token } = await setUp([]);
  const values =
    '%20 %205 5%20 +5 %2B5 1e1 0x10 0b1 010 1.0 1.5 1,5 5; abc null true NaN Infinity %00 5%00 ٣ ５ %E2%81%A05 [1] {} 1_0 1n';
  for (const parameter of ['page[number]', 'page[size]']) {
    const bounds = parameter === 'page[number]' ? /\b1\b/ : /\b1\b.*\b500\b/;
    for (const value of ['', '9'.repeat(400), ...values.split(' ')]) {
      const written = encodeURI(value).replaceAll('%25', '%');
      await refuses(t, `/v1/employees?${parameter}=${written}`, token, parameter, bounds);
    }
    await refuses(t, `/v1/employees?${parameter}`, token, parameter);
    await refuses(t, `/v1/employees?${parameter}=1&${parameter}=2`, token, parameter);
    await refuses(t, `/v1/employees?${parameter}=1&${parameter}=1`, token, parameter);
    await refuses(t, `/v1/employees?${parameter}=1&${encodeURIComponent(parameter)}=1`, token, parameter);
  }
});

t.test('names every invalid parameter', async (t) => {
  const { token } = await setUp([]);
  const response = await api.get('/v1/employees?page[number]=0&page[size]=501&sort=salary', token);
  const names = response.json().errors.map(({ parameter }: { parameter: string }) => parameter);
  t.same(names.sort(), ['page[number]', 'page[size]', 'sort']);
});

t.test('rejects unknown query parameters and names each', async (t) => {
  const { token } = await setUp([]);
  const unknown =
    'page page[sizes] page[Size] Page[size] page[size][] page[size limit filter filter[] filter[ids] filter[first_name] ' +
    'filter[account_id] filter[status][] filter[hire_date] filter[hire_date][gt] filter[updated_at][lte] filter[id][gte] fields fields[users] Sort access_token __proto__ constructor hasOwnProperty ' +
    'toString ä %';
  for (const name of ['a b', ...unknown.split(' ')]) {
    await refuses(t, `/v1/employees?${encodeURIComponent(name)}=active`, token, name);
  }
  const response = await api.get('/v1/employees?page[size]=1&x=1&y=2', token);
  const names = response.json().errors.map(({ parameter }: { parameter: string }) => parameter);
  t.same(names, ['x', 'y']);
});

t.test(
  'rejects a long unknown parameter, or many, with a response within the limits of the contract',
  async (t) => {
    const { token } = await setUp([]);
    const long = await api.get(`/v1/employees?${'x'.repeat(3000)}=1`, token);
    t.equal(long.statusCode, 400);
    const many = await api.get(
      `/v1/employees?${Array.from({ length: 1000 }, (_, index) => `p${index}=1`).join('&')}`,
      token,
    );
    t.equal(many.statusCode, 400);
  },
);

t.test('rejects a query string that is not percent-encoded UTF-8', async (t) => {
  const { token } = await setUp([]);
  for (const value of ['%', '%4', '%zz', '%ff', '%C3%28', '%ED%A0%80', '%F8%A1%A1%A1%A1', '%E2%82']) {
    const response = await api.get(`/v1/employees?filter[status]=${value}`, token);
    t.equal(response.statusCode, 400, value);
    t.equal(response.json().code, 'invalid_request');
  }
  await refuses(t, '/v1/employees?filter[status]=a%00b', token, 'filter[status]');
  await refuses(t, '/v1/employees?filter[email]=%00', token, 'filter[email]');
});
