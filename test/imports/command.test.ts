import { type AccountId, toAccountId } from '../../src/platform/accounts/account-id.js';
import type { Database } from '../../src/platform/database/client.js';
import { violatedUniqueConstraint } from '../../src/platform/database/database-errors.js';
import { openTestDatabase } from '../support/database/database.js';
import { asOwner } from '../support/database/owner.js';
import { checkTree } from '../support/records/employee-tree.js';
import {
  csvHeader,
  importText,
  makeRecords,
  storedRecords,
  toCsv,
  toJsonLines,
} from '../support/records/import.js';
import { createTenant } from '../support/records/tenant.js';
import t, { type Test } from '../support/tap.js';

const database = await openTestDatabase(t);
const newAccount = async () => (await createTenant(database)).accountId;

/** All rows of an account that an import can change. */
async function snapshot(accountId: AccountId): Promise<object> {
  const where = { accountId };
  const { prisma } = database;
  return {
    account: await prisma.account.findUnique({ where: { id: accountId } }),
    employees: await prisma.employee.findMany({ where, orderBy: { id: 'asc' } }),
    counts: await prisma.employeeCount.findMany({ where, orderBy: [{ level: 'asc' }, { bucket: 'asc' }] }),
    facets: await prisma.employeeFacet.findMany({
      where,
      orderBy: [{ status: 'asc' }, { department: 'asc' }],
    }),
  };
}

const row = (changes: Record<string, unknown> = {}) => ({
  employee_number: 'E1',
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'ada@company.example',
  status: 'active',
  department: 'Engineering',
  ...changes,
});

t.test('imports employees from CSV and from JSON Lines', async (t) => {
  const records = makeRecords(70);
  records.push({
    employeeNumber: `{"'\\`,
    firstName: 'Zoë "Z", Quote',
    lastName: '山田, \u{1F468}',
    email: 'zoë@köln.example',
    status: 'on leave; until ✓',
    department: 'NULL',
  });
  const sorted = records.toSorted((a, b) => (a.employeeNumber < b.employeeNumber ? -1 : 1));
  for (const text of [
    toCsv(records),
    toCsv(records, '\n'),
    `\uFEFF${toCsv(records)}`,
    toJsonLines(records),
  ]) {
    const accountId = await newAccount();
    const { counts, ending, refusals } = await importText(database, accountId, text);
    t.same(refusals, []);
    t.same(ending, { kind: 'complete' });
    t.match(counts, { read: 71, created: 71, updated: 0, unchanged: 0, rejected: 0, superseded: 0 });
    t.same(await storedRecords(database, accountId), sorted);
  }
  await checkTree(t, database);
});

t.test('accepts columns in any order', async (t) => {
  const accountId = await newAccount();
  const text = 'email,department,status, last_name ,first_name,employee_number\na@b.example,D,S,L,F,N\n';
  t.match((await importText(database, accountId, text)).counts, { created: 1 });
  t.match(await storedRecords(database, accountId), [
    {
      employeeNumber: 'N',
      firstName: 'F',
      lastName: 'L',
      email: 'a@b.example',
      status: 'S',
      department: 'D',
    },
  ]);
});

t.test('an import that is run again changes nothing', async (t) => {
  const accountId = await newAccount();
  const text = toCsv(makeRecords(45));
  await importText(database, accountId, text);
  const before = await snapshot(accountId);
  const { counts } = await importText(database, accountId, text);
  t.match(counts, { created: 0, updated: 0, unchanged: 45 });
  t.same(await snapshot(accountId), before);
});

t.test('updates the rows that differ and no others, and adds new ones', async (t) => {
  const accountId = await newAccount();
  const records = makeRecords(60);
  await importText(database, accountId, toCsv(records));
  const before = await database.prisma.employee.findMany({
    where: { accountId },
    orderBy: { position: 'asc' },
  });
  const changed = records.map((record, index) =>
    index % 10 === 0 ? { ...record, status: 'terminated', department: `Moved ${index % 3}` } : record,
  );
  const { counts } = await importText(
    database,
    accountId,
    toJsonLines([...changed, ...makeRecords(65).slice(60)]),
  );
  t.match(counts, { created: 5, updated: 6, unchanged: 54 });
  const after = await database.prisma.employee.findMany({
    where: { accountId },
    orderBy: { position: 'asc' },
  });
  for (const [index, old] of before.entries()) {
    const { updatedAt, status, department, ...same } = after[index] ?? old;
    t.match(old, same);
    if (index % 10 !== 0) t.same(after[index], old);
    else t.ok(updatedAt > old.updatedAt && status === 'terminated' && department.startsWith('Moved'));
  }
  t.match(after.at(-1), { position: 64n });
  await checkTree(t, database);
});

t.test('does not change employees of another account with the same numbers', async (t) => {
  const [accountId, other] = [await newAccount(), await newAccount()];
  await importText(database, other, toCsv(makeRecords(5)));
  const before = await snapshot(other);
  const { counts } = await importText(database, accountId, toCsv(makeRecords(5, { lastName: 'Else' })));
  t.match(counts, { created: 5 });
  t.same(await snapshot(other), before);
});

t.test('rejects every invalid line by its number, and stores the others', async (t) => {
  const long = (length: number) => 'x'.repeat(length);
  const cases: [Record<string, unknown>, RegExp][] = [
    ...['employee_number', 'status', 'department'].flatMap((name): [Record<string, unknown>, RegExp][] =>
      [undefined, '  '].map((value) => [{ [name]: value }, new RegExp(`^${name} is required$`)]),
    ),
    [{ first_name: undefined, last_name: ' ' }, /^first_name or last name is required$/],
    [{ employee_number: long(65) }, /^employee_number must have 1 to 64 characters$/],
    [{ first_name: long(256) }, /^first_name must have at most 255 characters$/],
    [{ last_name: long(256) }, /^last_name must have at most 255 characters$/],
    [{ email: `${long(309)}@company.example` }, /^email must have at most 320 characters$/],
    [{ status: long(65) }, /^status must have 1 to 64 characters$/],
    [{ department: long(256) }, /^department must have 1 to 255 characters$/],
    [{ email: 'ada' }, /^email must be an e-mail address$/],
    [{ email: 'ada @company.example' }, /^email must be an e-mail address$/],
    [{ email: 'ada@b@company.example' }, /^email must be an e-mail address$/],
    ...['employee_number', 'first_name', 'last_name', 'status', 'department'].map(
      (name): [Record<string, unknown>, RegExp] => [
        { [name]: 'a\u202eb' },
        new RegExp(`^${name} must not contain control or invisible characters`),
      ],
    ),
    [{ email: 'ad\u200ba@company.example' }, /^email must not contain invisible or full-width characters$/],
    [{ email: 'ada@\u{1F600}..example/' }, /^email must have a valid domain$/],
    [{ first_name: 'A\u0000da' }, /^first_name must be valid Unicode without NUL characters$/],
    [{ last_name: 'Lovel\uFFFDce' }, /^last_name must be valid UTF-8$/],
    [{ department: undefined, status: undefined }, /^status is required; department is required$/],
  ];
  const good = row({ employee_number: 'good' });
  const names = csvHeader.split(',');
  const toRow = (values: Record<string, unknown>) => names.map((name) => values[name] ?? '').join(',');
  const csv = cases.flatMap(([changes]) => [toRow(row(changes)), '']);
  const json = cases.flatMap(([changes]) => [JSON.stringify(row(changes)), '']);
  for (const [text, firstLine] of [
    [[csvHeader, ...csv, toRow(good)].join('\n'), 2],
    [[JSON.stringify(good), ...json].join('\r\n'), 2],
  ] as const) {
    const accountId = await newAccount();
    const { counts, refusals } = await importText(database, accountId, text);
    t.match(counts, { created: 1, rejected: cases.length });
    for (const [index, [, expected]] of cases.entries()) {
      const [place = '', fault = ''] = refusals[index]?.split(/: (.*)/s) ?? [];
      t.equal(place, `line ${firstLine + index * 2}`);
      t.match(fault, expected);
    }
    t.match(await storedRecords(database, accountId), [{ employeeNumber: 'good' }]);
  }
});

t.test('accepts the longest values of the contract, counted in characters', async (t) => {
  const accountId = await newAccount();
  const text = JSON.stringify(
    row({
      employee_number: '\u{1F468}'.repeat(64),
      first_name: '\u{1F468}'.repeat(255),
      email: `${'x'.repeat(304)}@company.example`,
    }),
  );
  t.match((await importText(database, accountId, text)).counts, { created: 1 });
});

t.test('removes white space at the ends of values', async (t) => {
  const accountId = await newAccount();
  const records = [
    row({ employee_number: ' E1\u00a0', first_name: '\tAda ', email: ' ada@company.example ' }),
    { ...row({ employee_number: 'E2' }), manager_employee_number: ' E1 ' },
  ];
  const text = records.map((record) => JSON.stringify(record)).join('\n');
  t.match((await importText(database, accountId, text)).counts, { created: 2, managersRejected: 0 });
  const [stored] = await storedRecords(database, accountId);
  t.match(stored, { employeeNumber: 'E1', firstName: 'Ada', email: 'ada@company.example' });
});

t.test('rejects lines that are not a record', async (t) => {
  const accountId = await newAccount();
  const json = [
    '{}',
    '{',
    '[]',
    'null',
    '"x"',
    JSON.stringify(row({ salary: 1, id: 'x' })),
    JSON.stringify(row({ status: 3 })),
  ];
  const { refusals } = await importText(database, accountId, json.join('\n'));
  t.match(refusals, [
    /^line 1: employee_number is required; .*; first_name or last name is required$/,
    'line 2: the line must be a JSON object',
    'line 3: the record must be an object',
    'line 4: the record must be an object',
    'line 5: the record must be an object',
    /^line 6: salary is unknown; valid members are employee_number, .*; id is unknown; valid members are employee_number, .*$/,
    'line 7: status must be a string',
  ]);
  const csv = `${csvHeader}\n"two\nlines",a\n1,2,3,4,5,6,7\nx,"y"z,,,,\n`;
  t.same((await importText(database, accountId, csv)).refusals, [
    'line 2: has 2 fields where the header has 6',
    'line 4: has 7 fields where the header has 6',
    'line 5: a quote is in an invalid position',
  ]);
  t.same(await storedRecords(database, accountId), []);
});

t.test('rejects each line with bytes that are not UTF-8', async (t) => {
  const accountId = await newAccount();
  const records = makeRecords(3);
  const text = toCsv(
    records.map((record, index) => (index === 1 ? { ...record, lastName: 'Müller' } : record)),
  );
  const { refusals } = await importText(database, accountId, Buffer.from(text, 'latin1'));
  t.same(refusals, ['line 3: last_name must be valid UTF-8']);
});

t.test('recognizes semicolons and tabs between the columns', async (t) => {
  const records = makeRecords(2).map((record) => ({ ...record, lastName: 'Lovelace' }));
  for (const delimiter of [';', '\t']) {
    const accountId = await newAccount();
    const text = `\uFEFF${toCsv(records).replaceAll(',', delimiter)}`;
    t.match((await importText(database, accountId, text)).counts, { created: 2, rejected: 0 });
    t.same(await storedRecords(database, accountId), records);
  }
});

t.test('rejects a file with another header at once', async (t) => {
  const accountId = await newAccount();
  for (const [header, expected] of [
    ['', /the file must not be empty/],
    ['employee_number,first_name', /lacks the columns status, department; expected are/],
    ['email', /lacks the columns employee_number, status, department, first_name or last_name; expected/],
    [`${csvHeader},salary`, /has the unknown columns salary; expected are/],
    [`${csvHeader},email`, /repeats the columns email/],
    [
      csvHeader.replaceAll(',', '|'),
      /unknown columns .*; expected are .* with commas, semicolons or tabs between/,
    ],
    [csvHeader.toUpperCase(), /unknown columns/],
    [`"${csvHeader}`, /line 1: a quote is not closed/],
  ] as const) {
    const text = header === '' ? '' : `${header}\n${toCsv(makeRecords(2)).split('\r\n')[1]}\n`;
    await t.rejects(
      importText(database, accountId, text),
      { name: 'UnusableFileError', message: expected },
      header,
    );
  }
  t.same(await storedRecords(database, accountId), []);
});

t.test('stores the last of several records with one number', async (t) => {
  const accountId = await newAccount();
  const [first, second, third] = ['First', 'Second', 'Third'].flatMap((firstName) =>
    makeRecords(1, { firstName }),
  );
  if (first === undefined || second === undefined || third === undefined) throw new Error('No records');
  const together = await importText(database, accountId, toCsv([first, second]));
  t.match(together.counts, { created: 1, updated: 0, superseded: 1 });
  const apart = await importText(database, accountId, toCsv([first, third]), { batchSize: 1 });
  t.match(apart.counts, { created: 0, updated: 2, superseded: 0 });
  t.match(await storedRecords(database, accountId), [{ firstName: 'Third' }]);
});

t.test('stops when more lines are rejected than allowed', async (t) => {
  const accountId = await newAccount();
  const records = makeRecords(30).map((record, index) =>
    index % 10 === 5 ? { ...record, department: '' } : record,
  );
  const given = await importText(database, accountId, toCsv(records), { batchSize: 5, maximumRejected: 1 });
  t.same(given.ending, { kind: 'too_many_rejected' });
  t.equal(given.refusals.length, 2);
  t.equal((await storedRecords(database, accountId)).length, given.counts.created);
  const patient = await importText(database, accountId, toCsv(records), { maximumRejected: 3 });
  t.match(patient, { ending: { kind: 'complete' }, counts: { rejected: 3 } });
  t.equal((await storedRecords(database, accountId)).length, 27);
});

t.test('does not store a batch that the database rejects, and keeps earlier batches', async (t) => {
  const accountId = await newAccount();
  const text = toCsv(makeRecords(100));
  await failOn(database, 'E0000050');
  const { ending, counts } = await importText(database, accountId, text);
  t.match(ending, { kind: 'failed', lines: { first: 42, last: 61, count: 20 } });
  t.match(counts, { read: 60, created: 40 });
  t.equal((await storedRecords(database, accountId)).length, 40);
  await checkTree(t, database);

  await asOwner(database, 'DROP FUNCTION refuse CASCADE');
  t.match((await importText(database, accountId, text)).counts, { created: 60, unchanged: 40 });
  t.same(await storedRecords(database, accountId), makeRecords(100));
  await checkTree(t, database);
});

async function failOn(database: Database, number: string): Promise<void> {
  await asOwner(
    database,
    `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'refused by the test'; END $$`,
  );
  await asOwner(
    database,
    `CREATE TRIGGER refuse BEFORE INSERT ON employees FOR EACH ROW
    WHEN (NEW.employee_number = '${number}') EXECUTE FUNCTION refuse()`,
  );
}

t.test('a dry run prints the outcome and changes nothing', async (t) => {
  const accountId = await newAccount();
  await importText(database, accountId, toCsv(makeRecords(40)));
  const before = await snapshot(accountId);
  const events = await database.prisma.auditEvent.count();
  const changed = makeRecords(70).map((record, index) =>
    index < 8 ? { ...record, status: 'moved' } : record,
  );
  // A number that occurs again in a later batch is an update, in a dry run as well.
  const text = `${toCsv([...changed, ...makeRecords(1)])}broken\n`;

  const rehearsal = await importText(database, accountId, text, { dryRun: true });

  t.match(rehearsal.counts, { read: 72, created: 30, updated: 9, unchanged: 32, rejected: 1 });
  t.same(rehearsal.refusals, ['line 73: has 1 fields where the header has 6']);
  t.same(await snapshot(accountId), before);
  t.equal(await database.prisma.auditEvent.count(), events);
  t.same((await importText(database, accountId, text)).counts, rehearsal.counts);
  t.match(await importText(database, toAccountId('nobody'), text, { dryRun: true }), {
    ending: { kind: 'failed' },
  });
});

t.test('the audit log records an import once, with its counts', async (t) => {
  const accountId = await newAccount();
  const text = `${toCsv(makeRecords(25))}broken\n`;
  await importText(database, accountId, text);
  const events = await database.prisma.auditEvent.findMany({
    where: { accountId, type: 'employees.imported' },
  });
  t.same(
    events.map(({ details }) => details),
    [{ file: 'staff.csv', created: '25', updated: '0', unchanged: '0', rejected: '1', finished: 'yes' }],
  );
});

t.test('a signal stops the import after the batch that is being stored', async (t) => {
  const accountId = await newAccount();
  const controller = new AbortController();
  const { ending, counts } = await importText(database, accountId, toCsv(makeRecords(100)), {
    signal: controller.signal,
    onProgress: ({ created }) => created >= 60 && controller.abort(),
  });
  t.same(ending, { kind: 'interrupted' });
  t.equal(counts.created, 60);
  t.same(await storedRecords(database, accountId), makeRecords(60));
  const [event] = await database.prisma.auditEvent.findMany({ where: { accountId } });
  t.match(event?.details, { created: '60', finished: 'no' });
});

t.test('fails for an account that does not exist, and stores nothing', async (t) => {
  const { ending } = await importText(database, toAccountId('nobody'), toCsv(makeRecords(3)));
  t.match(ending, { kind: 'failed', error: { name: 'UnknownAccountError' } });
});

t.test('concurrent imports duplicate nothing, into one account and into two', async (t) => {
  const [accountId, other] = [await newAccount(), await newAccount()];
  const records = makeRecords(60);
  const shuffled = records.toSorted((a, b) =>
    reverse(a.employeeNumber) < reverse(b.employeeNumber) ? -1 : 1,
  );
  const outcomes = await Promise.all([
    importText(database, accountId, toCsv(records)),
    importText(database, accountId, toJsonLines(shuffled)),
    importText(database, accountId, toCsv(records.toReversed()), { batchSize: 7 }),
    importText(database, other, toCsv(records)),
    importText(database, other, toCsv(shuffled)),
  ]);
  for (const { ending } of outcomes) sameEnding(t, ending);
  const sum = (list: (typeof outcomes)[number][], key: 'created' | 'updated' | 'unchanged') =>
    list.reduce((total, { counts }) => total + counts[key], 0);
  t.equal(sum(outcomes.slice(0, 3), 'created'), 60);
  t.equal(sum(outcomes.slice(0, 3), 'unchanged'), 120);
  t.equal(sum(outcomes.slice(3), 'created'), 60);
  t.equal(sum(outcomes, 'updated'), 0);
  for (const id of [accountId, other]) t.same(await storedRecords(database, id), records);
  await checkTree(t, database);
});

function reverse(text: string): string {
  return [...text].reverse().join('');
}

function sameEnding(t: Test, ending: { kind: string; error?: unknown }): void {
  t.equal(ending.kind, 'complete', String(ending.error ?? violatedUniqueConstraint(ending.error) ?? ''));
}
