import { test } from 'tap';
import { buildTestApp } from '../../support/app.js';
import { createTenant, makeEmployees } from '../../support/tenant.js';

test("lists the account's employees by id, page by page", async (t) => {
  const api = await buildTestApp(t);
  const tenant = await createTenant(api.database, { employees: makeEmployees(7) });
  const token = await api.token(tenant.application);

  const first = await api.get('/v1/employees?page[size]=3', token);
  t.equal(first.statusCode, 200, first.body);
  console.log(first.headers, first.body);
});
