import { createHash } from 'node:crypto';
import { fillDemoData, hasDemoApplication } from '../../src/features/demo-data/fill.js';
import { restrictableAttributes } from '../../src/platform/contract/employee-attributes.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { openDatabase } from '../../src/platform/database/open-database.js';
import { startupMessage } from '../../src/process/listen.js';
import { createTestDatabase, openTestDatabase, testServer } from '../support/database/database.js';
import { createTenant } from '../support/records/tenant.js';
import t from '../support/tap.js';

const now = new Date('2026-03-02T09:00:00.000Z');
const baseUrl = 'https://api.test';
const onServer = { skip: testServer === undefined && 'the embedded database has one process' };
const unusable = async (): Promise<string> => '!';

t.test('finds the demo application while it exists', async (t) => {
  const database = await openTestDatabase(t);
  t.equal(await hasDemoApplication(database), false);
  await createTenant(database);
  t.equal(await hasDemoApplication(database), false, 'another account is not demo data');
  await database.prisma.account.deleteMany();
  await fillDemoData(database, { hashPassword: unusable, now, baseUrl });
  t.equal(await hasDemoApplication(database), true);
  await database.prisma.application.deleteMany({ where: { clientId: 'demobackend' } });
  t.equal(await hasDemoApplication(database), false);
});

t.test('the startup message has credentials only with the demo application', async (t) => {
  const config = { baseUrl: 'https://api.test' };
  const without = startupMessage(config, { demoApplication: false });
  t.match(without, 'sign-in page: https://api.test/sign_in\n');
  t.notMatch(without, /demo|secret|password|@/);
  const message = startupMessage(config, { demoApplication: true });
  t.match(message, 'sign-in page: https://api.test/sign_in\n');
  t.match(message, 'client_id=demobackend -d client_secret=demobackendsecret\n');
  t.match(message, 'sign in as owner@acme.example with the password: correct horse battery staple\n');
});

t.test('fills an empty database with two accounts', async (t) => {
  const database = await openTestDatabase(t);
  const { prisma } = database;
  let hashed = 0;
  const hashPassword = async (plain: string): Promise<string> => `hash ${++hashed} of ${plain}`;

  t.equal(await fillDemoData(database, { hashPassword, now, baseUrl }), true);

  const accounts = await prisma.account.findMany({
    orderBy: { name: 'asc' },
    select: { name: true, employeeSequence: true, totals: { select: { reports: true } } },
  });
  t.same(accounts, [
    { name: 'Acme', employeeSequence: 137n, totals: { reports: 3 } },
    { name: 'Globex', employeeSequence: 12n, totals: { reports: 0 } },
  ]);
  const users = await prisma.user.findMany({ orderBy: { email: 'asc' } });
  t.same(
    users.map(({ email, role }) => [email, role]),
    [
      ['admin@acme.example', 'admin'],
      ['member@acme.example', 'member'],
      ['owner@acme.example', 'owner'],
      ['owner@globex.example', 'owner'],
    ],
  );
  t.ok(users.every((user) => / of correct horse battery staple$/.test(user.passwordHash ?? '')));
  t.equal(new Set(users.map((user) => user.passwordHash)).size, 4, 'hashes are distinct');

  const applications = await prisma.application.findMany({
    orderBy: { clientId: 'asc' },
    include: { secrets: true, account: true },
  });
  const all = ['reports:read', 'reports:write', 'user:read', 'user:write'];
  t.same(
    applications.map((a) => [a.account.name, a.clientId, a.clientType, a.scopes, a.secrets.length]),
    [
      ['Acme', 'demobackend', 'confidential', all, 1],
      ['Acme', 'democonsole', 'public', all, 0],
      ['Acme', 'demoreadonly', 'confidential', ['reports:read'], 1],
      ['Acme', 'demospa', 'public', all, 0],
      ['Globex', 'globexbackend', 'confidential', all, 1],
    ],
  );
  for (const { clientId, readableAttributes } of applications)
    t.same(readableAttributes, restrictableAttributes, `${clientId} may read all attributes`);
  t.same(
    applications[0]?.secrets[0]?.secretHash,
    new Uint8Array(createHash('sha256').update('demobackendsecret').digest()),
  );
  t.same(applications[1]?.redirectUris, ['https://api.test/console/callback']);
  t.same(applications[3]?.redirectUris, ['http://localhost:8080/callback']);
  t.same(
    applications.filter(({ inDevelopment }) => !inDevelopment).map(({ clientId }) => clientId),
    ['democonsole'],
    'the others have a redirect URI on http://localhost',
  );
});

t.test('the employees are plausible and deterministic', async (t) => {
  const database = await openTestDatabase(t);
  const fill = async () => {
    await database.prisma.account.deleteMany();
    await fillDemoData(database, { hashPassword: unusable, now, baseUrl });
    return database.prisma.employee.findMany({ orderBy: { id: 'asc' } });
  };
  const employees = await fill();
  t.same(await fill(), employees);

  const acme = employees.filter((employee) => employee.accountId === 'demoacme');
  t.equal(acme.length, 137);
  t.equal(employees.length - acme.length, 12);
  t.equal(acme[0]?.id, 'acmedemo00000000');
  t.equal(acme[0]?.employeeNumber, 'E0001');
  t.equal(new Set(acme.map((employee) => employee.email)).size, 137);
  t.equal(new Set(acme.map(({ firstName, lastName }) => `${firstName} ${lastName}`)).size, 137);
  t.ok(acme.every(({ email }) => /^[a-z]+\.[a-z]+\d?@acme\.example$/.test(email)));
  t.ok(acme.every(({ createdAt, updatedAt }) => createdAt <= updatedAt && updatedAt <= now));
  t.same(
    new Set(acme.map(({ status }) => status)),
    new Set(['active', 'on_leave', 'inactive', 'terminated']),
  );
  t.ok(acme.filter(({ status }) => status === 'active').length > 110);
  for (const { status, hireDate, terminationDate, updatedAt } of acme) {
    t.ok(hireDate !== null && hireDate <= now);
    t.equal(terminationDate !== null, status === 'terminated');
    if (terminationDate !== null)
      t.ok(hireDate && hireDate <= terminationDate && terminationDate <= updatedAt);
  }
  t.ok(new Set(acme.map(({ hireDate }) => hireDate?.getUTCFullYear())).size >= 4, 'hired in several years');
  t.ok(new Set(acme.map(({ location }) => location)).size >= 5, 'several locations, and none');
  t.ok(acme.every(({ jobTitle }) => jobTitle !== null));
  const byId = new Map(acme.map((employee) => [employee.id, employee]));
  const [first, ...others] = acme;
  t.equal(first?.managerId, null);
  for (const { id, managerId } of others) {
    const manager = byId.get(managerId ?? '');
    t.equal(manager?.status, 'active');
    t.ok(manager && manager.id < id, 'no cycle');
  }
});

t.test('does not change a database that has an account', async (t) => {
  const database = await openTestDatabase(t);
  await database.prisma.account.create({ data: { id: 'first', name: 'First', employeePrefix: 'first000' } });
  t.equal(await fillDemoData(database, { hashPassword: unusable, now, baseUrl }), false);
  t.equal(await database.prisma.user.count(), 0);
});

t.test('processes that start together fill it once', onServer, async (t) => {
  const options = await createTestDatabase(t);
  const databases = await Promise.all(Array.from({ length: 3 }, () => openDatabase(options)));
  t.teardown(() => Promise.all(databases.map((database) => database.close())));

  const filled = await Promise.all(
    databases.map(async (database) => {
      await migrate(database);
      return fillDemoData(database, { hashPassword: unusable, now, baseUrl });
    }),
  );
  t.same(filled.sort(), [false, false, true]);
});
