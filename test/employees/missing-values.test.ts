import { expectRedirect, isPage } from '../support/browser/pages.js';
import { employeeScene, fieldErrors, fieldValues, validForm } from '../support/records/employee-scene.js';
import { createReportClient } from '../support/records/reports.js';
import { makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);

const path = '/people/employees/new';

t.test('a person can have one name and no e-mail address', async (t) => {
  const scene = await employeeScene(api, []);
  const { browser } = scene;
  const form = await browser.open(path);
  for (const field of ['first_name', 'last_name', 'email'])
    t.notMatch(new RegExp(`<input[^>]* name="${field}"[^>]*>`).exec(form.body)?.[0], 'required', field);
  const nameless = await browser.submitForm(form, path, { ...validForm, first_name: ' ', last_name: '' });
  isPage(t, nameless, 400);
  t.same(fieldErrors(nameless.body), { first_name: 'First name or last name is required.' });
  const people = [
    { employee_number: 'E1', first_name: 'Pelé', last_name: '' },
    { employee_number: 'E2', first_name: '', last_name: 'Suharto' },
  ];
  for (const names of people) {
    const created = await browser.submitForm(form, path, { ...validForm, ...names, email: '' });
    expectRedirect(t, created, /employee_created$/, 'people without an address share none');
  }
  const stored = await scene.stored();
  t.match(stored, [
    { firstName: 'Pelé', lastName: '', email: '' },
    { firstName: '', lastName: 'Suharto', email: '' },
  ]);
  const page = await browser.open(`/people/employees/${stored[0]?.id}`);
  t.match(page.body, '<h1><bdi>Pelé</bdi> ');
  t.match(page.body, '<dt>Last name</dt><dd>–</dd>');
  t.match(page.body, '<dt>E-mail</dt><dd>–</dd>');
  const directory = await browser.open('/people');
  const names = [...directory.body.matchAll(/<a href="\/people\/employees\/[^"/]*">(.*?)<\/a>/g)];
  t.same(
    names.map(([, name]) => name),
    ['Pelé', 'Suharto'],
    'without commas and spaces',
  );
  t.match((await browser.open('/people?q=pele')).body, '>Pelé</a>');
  t.match((await browser.open('/people?q=suh')).body, '>Suharto</a>');
  const [, event] = await scene.events();
  t.notOk(Object.keys(Object(event?.details)).includes('email'));
});

t.test('the e-mail address and one of the names can be removed, and the change is audited', async (t) => {
  const scene = await employeeScene(api, [
    { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@x.example' },
  ]);
  const address = `/people/employees/${scene.ids[0]}/edit`;
  const form = fieldValues((await scene.browser.open(address)).body);
  const removed = await scene.browser.submit(address, { ...form, last_name: '', email: '' });
  expectRedirect(t, removed, /employee_updated$/);
  t.match(await scene.stored(), [{ firstName: 'Ada', lastName: '', email: '' }]);
  const [event] = await scene.events();
  t.match(event?.details, { email: 'ada@x.example → –', last_name: 'Lovelace → –' });
});

t.test('missing values are empty texts in the list, the record, events and reports', async (t) => {
  const [named, other] = makeEmployees(2, { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@x.example' });
  if (named === undefined || other === undefined) throw new Error('There are two employees');
  const { firstName: _, email: __, ...single } = other;
  const client = await createReportClient(api, { employees: [named, { ...single, lastName: 'Pelé' }] });
  const list = (await client.send('GET', '/v1/employees?sort=email')).json();
  const missing = { first_name: '', last_name: 'Pelé', email: '' };
  t.match(list.data, [{ attributes: missing }, { attributes: { email: 'ada@x.example' } }]);
  t.match((await client.send('GET', `/v1/employees/${list.data[0].id}`)).json(), {
    data: { attributes: missing },
  });
  t.equal(
    (await client.send('GET', '/v1/employees?filter[email]=ada@x.example')).json().meta.record_count,
    1,
  );
  const events = (await client.send('GET', '/v1/events')).json();
  t.match(events.data, [{}, { resource: { attributes: missing } }]);
  const columns = ['last_name', 'email'];
  const filters = [{ field: 'email', operator: 'eq', value: '' }];
  const id = await client.saved({ title: 'Without e-mail', columns, filters });
  t.match(await client.allRows(id), [{ attributes: { last_name: 'Pelé', email: '' } }]);
  t.equal(await client.csv(id), 'last_name,email\nPelé,""\n');
  const grouped = await client.saved({ title: 'By e-mail', group_by: ['email'], sort: ['email'] });
  t.match(await client.allRows(grouped), [
    { attributes: { email: '', count: 1 } },
    { attributes: { email: 'ada@x.example', count: 1 } },
  ]);
});

t.test('the form warns once of an e-mail address that another employee has', async (t) => {
  const scene = await employeeScene(api, [
    { employeeNumber: 'E1', firstName: 'Ada', lastName: '', email: 'Shared@x.example' },
    { employeeNumber: 'E2', email: 'e2@x.example' },
  ]);
  await employeeScene(api, [{ email: 'foreign@x.example' }]);
  const { browser, ids } = scene;
  const message = 'Ada (E1) has the same e-mail address. To keep it for both, save again.';
  const form = { ...validForm, email: 'shared@X.example' };
  const warned = await browser.submitForm(await browser.open(path), path, form);
  isPage(t, warned, 400);
  t.same(fieldErrors(warned.body), { email: message });
  const other = await browser.submitForm(warned, path, { ...form, email: 'foreign@x.example' });
  expectRedirect(t, other, /employee_created$/, 'another address needs no confirmation');
  const address = `/people/employees/${ids[1]}/edit`;
  const edited = { ...fieldValues((await browser.open(address)).body), email: 'shared@x.example' };
  const asked = await browser.submit(address, edited);
  t.same(fieldErrors(asked.body), { email: message });
  t.equal((await scene.stored()).filter(({ email }) => email === 'e2@x.example').length, 1);
  expectRedirect(t, await browser.submit(address, fieldValues(asked.body)), /employee_updated$/);
  const again = { ...fieldValues((await browser.open(address)).body), location: 'Rome' };
  expectRedirect(t, await browser.submit(address, again), /employee_updated$/, 'a stored address is kept');
});
