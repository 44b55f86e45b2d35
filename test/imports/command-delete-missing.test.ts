import { createTestDatabase } from '../support/database/database.js';
import { openForCommands, runCommandHere } from '../support/processes/cli.js';
import { makeRecords, toCsv, toJsonLines } from '../support/records/import.js';
import { createTenant } from '../support/records/tenant.js';
import t from '../support/tap.js';

const options = await createTestDatabase(t);
const database = await openForCommands(options);
const records = makeRecords(100);
const accounts = await Promise.all(
  Array.from({ length: 6 }, () =>
    createTenant(database, { employees: records.map((record) => ({ ...record, updatedAt: new Date() })) }),
  ),
);
await database.close();
const account = (index: number) => accounts[index]?.accountId ?? '';

async function stored(accountId: string) {
  const database = await openForCommands(options);
  try {
    const employees = await database.prisma.employee.findMany({
      where: { accountId },
      orderBy: { id: 'asc' },
    });
    const events = await database.prisma.auditEvent.findMany({
      where: { accountId, type: 'employee.deleted' },
    });
    return { employees, numbers: employees.map(({ employeeNumber }) => employeeNumber), events };
  } finally {
    await database.close();
  }
}

const importFile = (accountId: string, text: string, ...args: readonly string[]) =>
  runCommandHere(
    options,
    ['employees', 'import', '-', '--format', 'csv', '--account', accountId, '--delete-missing', ...args],
    text,
  );

t.test(
  'deletes the employees who are not in the file, up to 20 %, with an audit event for each',
  async (t) => {
    const kept = records.slice(20);
    const dry = await importFile(account(0), toCsv(kept), '--dry-run');
    t.equal(dry.code, 0, dry.stderr);
    t.match(dry.stdout, /20 employees who are not in the file would be deleted \(E0000000, .*E0000009 …\)\./);
    t.equal((await stored(account(0))).employees.length, 100);

    const { code, stdout, stderr } = await importFile(account(0), toCsv(kept));
    t.equal(code, 0, stderr);
    t.match(stdout, /20 employees who are not in the file were deleted/);
    const { numbers, events } = await stored(account(0));
    t.same(
      numbers,
      kept.map(({ employeeNumber }) => employeeNumber),
    );
    t.equal(events.length, 20);
    for (const { userId, details } of events) {
      t.equal(userId, null);
      t.same(Object.keys(details as object).sort(), ['direct_reports', 'employee']);
    }
    t.equal((await stored(account(1))).employees.length, 100, 'another account with the same numbers');

    const again = await importFile(account(0), toCsv(kept), '--json');
    t.match(JSON.parse(again.stdout), { deleted: 0, unchanged: 80 });
  },
);

t.test('deletes nothing above the limit, and prints how many employees are missing', async (t) => {
  const kept = [...records.slice(21), ...makeRecords(1, { employeeNumber: 'NEW' })];
  for (const args of [[], ['--dry-run'], ['--delete-limit', '20'], ['--delete-limit', '0']]) {
    const { code, stderr } = await importFile(account(2), toCsv(kept), ...args);
    t.equal(code, 1, args.join(' '));
    t.match(
      stderr,
      /No employee was deleted: 2[12] of 10[01] employees are not in the file|No employee was deleted: 21 of 10[01]/,
    );
    t.match(stderr, /% may be deleted \(--delete-limit\)/);
  }
  const { numbers, events } = await stored(account(2));
  t.equal(numbers.length, 101, 'the new employee is stored');
  t.equal(events.length, 0);
  const { code, stdout } = await importFile(account(2), toCsv(kept), '--delete-limit', '21');
  t.equal(code, 0);
  t.match(stdout, /21 employees who are not in the file were deleted/);
  t.equal((await stored(account(2))).numbers.length, 80);
});

t.test(
  'deletes nothing after a rejected line, for an empty file and for an import that is not complete',
  async (t) => {
    const kept = records.slice(1);
    const [last] = records.slice(-1);
    const rejected = `${toCsv(kept)}E9,,,,,\n`;
    const first = await importFile(account(3), rejected);
    t.equal(first.code, 3);
    t.match(first.stderr, /No employee was deleted: the file has rejected lines\./);
    const stopped = await importFile(account(3), rejected, '--max-errors', '0');
    t.equal(stopped.code, 1);
    t.match(stopped.stderr, /No employee was deleted: the import is not complete\./);
    const empty = await importFile(account(3), toCsv([]), '--delete-limit', '100');
    t.equal(empty.code, 1);
    t.match(empty.stderr, /No employee was deleted: the file has no records\./);
    const manager = await importFile(
      account(3),
      `employee_number,first_name,last_name,email,status,department,manager_id\n${last?.employeeNumber},A,B,a@b.example,active,X,unknown\n`,
      '--delete-limit',
      '100',
    );
    t.equal(manager.code, 3);
    t.match(manager.stderr, /No employee was deleted: the file has rejected lines\./);
    t.equal((await stored(account(3))).numbers.length, 100);
    for (const limit of ['-1', '101', '20%', '']) {
      t.equal((await importFile(account(3), toCsv(kept), '--delete-limit', limit)).code, 2, limit);
    }
  },
);

t.test('employees who were managed by a deleted one have no manager', async (t) => {
  const [boss, report] = records;
  const line = `${report?.employeeNumber},A,B,a@b.example,active,X,${boss?.employeeNumber}\n`;
  const header = 'employee_number,first_name,last_name,email,status,department,manager_employee_number\n';
  const args = ['employees', 'import', '-', '--format', 'csv', '--account', account(4)];
  t.equal((await runCommandHere(options, args, `${header}${line}`)).code, 0);
  t.equal((await stored(account(4))).employees.filter(({ managerId }) => managerId !== null).length, 1);
  t.equal((await importFile(account(4), toCsv(records.slice(1)))).code, 0);
  const { employees } = await stored(account(4));
  t.equal(employees.length, 99);
  t.ok(employees.every(({ managerId }) => managerId === null));
});

t.test('a file may name employees in any way that CSV and JSON Lines allow', async (t) => {
  const odd = makeRecords(3).map((record, index) => ({
    ...record,
    employeeNumber: ['a,"b"', 'E\u0301 1', '\u{1F600}'][index] ?? '',
  }));
  const { code } = await importFile(account(5), toCsv([...records, ...odd]));
  t.equal(code, 0);
  const args = ['employees', 'import', '-', '--format', 'jsonl', '--account', account(5), '--delete-missing'];
  const second = await runCommandHere(options, args, toJsonLines([...records.slice(3), ...odd]));
  t.equal(second.code, 0, second.stderr);
  const { numbers } = await stored(account(5));
  t.equal(numbers.length, 100);
  t.ok(odd.every(({ employeeNumber }) => numbers.includes(employeeNumber)));
});
