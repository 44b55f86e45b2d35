import {
  type Contract,
  loadContract,
  type RawOperation,
  readDeprecation,
} from '../../src/platform/contract/contract.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const deprecated: RawOperation = {
  operationId: 'listReportColumns',
  responses: {},
  deprecated: true,
  'x-deprecated-since': '2027-01-01',
  'x-sunset': '2028-01-01',
};

t.test('every response of a deprecated operation has its dates, errors included', async (t) => {
  const contract = loadContract();
  const operation = contract.operations.get('listReportColumns');
  if (operation === undefined) throw new Error('The contract has no listReportColumns');
  const operations = new Map(contract.operations).set('listReportColumns', {
    ...operation,
    deprecation: readDeprecation(deprecated, 365),
  });
  const api = await buildTestApp(t, { contract: { ...contract, operations } satisfies Contract });
  const expected = { deprecation: '@1798761600', sunset: 'Sat, 01 Jan 2028 00:00:00 GMT' };
  const rejected = await api.app.inject({ url: '/v1/report_columns' });
  t.equal(rejected.statusCode, 401);
  t.match(rejected.headers, expected);
  const { headers } = await api.app.inject({ url: '/v1/reports' });
  t.notOk('deprecation' in headers || 'sunset' in headers, 'other operations have neither header');
});

t.test('the notice of a deprecated operation has the days that the contract promises', async (t) => {
  t.equal(readDeprecation({ ...deprecated, deprecated: false }, 365), null);
  t.ok(readDeprecation(deprecated, 365));
  for (const dates of [
    { 'x-sunset': '2027-12-31' },
    { 'x-sunset': 'soon' },
    { 'x-deprecated-since': '2027-01-02' },
    { 'x-deprecated-since': '' },
  ]) {
    t.throws(
      () => readDeprecation({ ...deprecated, ...dates }, 365),
      /listReportColumns is deprecated: its x-sunset/,
    );
  }
});
