import { assignManagers, findCycles } from '../../src/features/imports/assign-managers.js';
import type { Prisma } from '../../src/platform/database/client.js';
import { openTestDatabase } from '../support/database/database.js';
import { withForeignKeys } from '../support/database/foreign-keys.js';
import { createRandom } from '../support/input/random.js';
import { csvHeader, importText } from '../support/records/import.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import t from '../support/tap.js';
import { countTurns } from '../support/turns.js';

const database = await openTestDatabase(t);
const { prisma } = database;

const numbered = (numbers: readonly string[]) =>
  makeEmployees(numbers.length).map((employee, index) => ({
    ...employee,
    employeeNumber: numbers[index] ?? '',
  }));

/** An account with these employees, and a function that reads who manages whom. */
async function company(numbers: readonly string[]) {
  const { accountId, employeeIds } = await createTenant(database, { employees: numbered(numbers) });
  const idOf = (number: string) => employeeIds[numbers.indexOf(number)] ?? '';
  const managers = async () => {
    const rows = await prisma.employee.findMany({
      where: { accountId },
      select: { id: true, employeeNumber: true, managerId: true },
      orderBy: { employeeNumber: 'asc' },
    });
    const numberOf = new Map(rows.map(({ id, employeeNumber }) => [id, employeeNumber]));
    return Object.fromEntries(
      rows.flatMap(({ employeeNumber, managerId }) =>
        managerId === null ? [] : [[employeeNumber, numberOf.get(managerId)]],
      ),
    );
  };
  /** Imports a line for each employee: the manager by number; '' removes it. */
  const assign = (assignments: readonly (readonly [string, string])[], options = {}) => {
    const lines = assignments.map(
      ([number, manager]) => `${number},Ada,Byron,a@b.example,active,Sales,${manager}`,
    );
    return importText(
      database,
      accountId,
      `${csvHeader},manager_employee_number\n${lines.join('\n')}\n`,
      options,
    );
  };
  return { accountId, idOf, managers, assign };
}

t.test('a manager can come later in the file than the reports, in another batch', async (t) => {
  const { assign, managers } = await company([]);
  const outcome = await assign(
    [
      ['A', 'B'],
      ['C', 'B'],
      ['B', 'D'],
      ['D', ''],
    ],
    { batchSize: 1 },
  );
  t.match(outcome, { refusals: [], counts: { created: 4, updated: 0, managersRejected: 0 } });
  t.same(await managers(), { A: 'B', B: 'D', C: 'B' });
});

t.test('counts an employee whose manager changes as updated, and others as unchanged', async (t) => {
  const { assign, managers } = await company([]);
  await assign([
    ['A', 'C'],
    ['B', 'C'],
    ['C', ''],
  ]);
  t.match(
    await assign([
      ['A', 'C'],
      ['B', 'C'],
      ['C', ''],
    ]),
    { counts: { updated: 0, unchanged: 3 } },
  );
  t.match(
    await assign([
      ['A', 'B'],
      ['B', 'C'],
      ['C', ''],
    ]),
    { counts: { updated: 1, unchanged: 2 } },
  );
  t.match(await assign([['A', '']]), { counts: { updated: 1, unchanged: 0 } });
  t.same(await managers(), { B: 'C' });
});

t.test(
  'rejects an unknown manager and the employee as manager by line, and stores the rest of the record',
  async (t) => {
    const { accountId, assign, managers, idOf } = await company(['A', 'B']);
    const foreign = await company(['X']);
    const { refusals, counts } = await assign([
      ['N', 'X'],
      ['A', 'A'],
      ['B', 'A'],
    ]);
    t.same(refusals, [
      'line 2: manager_employee_number must be the number of an employee of the account: X',
      'line 3: the manager of an employee must be another employee',
    ]);
    t.match(counts, { created: 1, rejected: 0, managersRejected: 2 });
    t.same(await managers(), { B: 'A' });

    const record = {
      first_name: 'A',
      last_name: 'B',
      email: 'a@b.example',
      status: 'active',
      department: 'X',
    };
    const lines = [
      { ...record, employee_number: 'A', manager_id: foreign.idOf('X') },
      { ...record, employee_number: 'A', manager_id: 'unknown0unknown0' },
      { ...record, employee_number: 'N', manager_id: idOf('A') },
      { ...record, employee_number: 'B', manager_id: idOf('A'), manager_employee_number: 'N' },
      { ...record, employee_number: 'M', manager_id: 'Not an id' },
      { ...record, employee_number: 'B', manager_employee_number: 'a\u0000b' },
    ];
    const second = await importText(
      database,
      accountId,
      lines.map((line) => JSON.stringify(line)).join('\n'),
    );
    t.same(second.refusals.toSorted(), [
      'line 2: manager_id must be the id of an employee of the account: unknown0unknown0',
      'line 4: manager_id and manager_employee_number must not be together',
      'line 5: manager_id must be the id of an employee of the account: Not an id',
      'line 6: manager_employee_number must be valid Unicode without NUL characters',
    ]);
    t.same(await managers(), { B: 'A', N: 'A' });
  },
);

t.test('rejects managers that form a cycle, with those in the database too', async (t) => {
  const { assign, managers } = await company(['A', 'B', 'C', 'D', 'E', 'F']);
  await assign([
    ['A', 'B'],
    ['B', 'C'],
  ]);
  const cycle = 'the managers of the employee form a cycle';
  const { refusals } = await assign([
    ['C', 'A'],
    ['D', 'C'],
    ['E', 'F'],
  ]);
  t.same(refusals, [`line 2: ${cycle}`], 'employees below the cycle are not rejected');
  t.same(await managers(), { A: 'B', B: 'C', D: 'C', E: 'F' });
  t.match(
    await assign([
      ['B', 'A'],
      ['A', ''],
    ]),
    { refusals: [], counts: { managersRejected: 0 } },
  );
  t.same(await managers(), { B: 'A', D: 'C', E: 'F' }, 'the order is reversed');
  t.match(
    await assign([
      ['B', 'A'],
      ['A', 'B'],
      ['A', 'E'],
    ]),
    { refusals: [] },
    'the last record counts',
  );
  t.same(await managers(), { A: 'E', B: 'A', D: 'C', E: 'F' });
});

t.test('rejects a manager who forms a cycle with one that another rejection restores', async (t) => {
  const { assign, managers } = await company(['A', 'B', 'C']);
  await assign([['A', 'B']]);
  const { refusals } = await assign([
    ['A', 'C'],
    ['C', 'A'],
    ['B', 'A'],
  ]);
  t.equal(refusals.length, 3);
  t.same(await managers(), { A: 'B' });
});

t.test('a long series of cycles ends with a tree', async (t) => {
  const count = 60;
  const numbers = Array.from({ length: count }, (_, index) => `E${String(index).padStart(2, '0')}`);
  const { assign, managers } = await company(numbers);
  const at = (index: number) => numbers[index] ?? '';
  // Each rejection restores the manager that closes the next cycle.
  await assign(numbers.slice(0, -1).map((number, index) => [number, at(index + 1)]));
  await assign(numbers.map((number, index) => [number, at((index * 7 + 3) % count)]));
  const after = new Map(Object.entries(await managers()) as [string, string][]);
  t.equal((await findCycles(after)).members.size, 0);
});

t.test('a dry run reports the same errors, and stores no manager', async (t) => {
  const { assign, managers } = await company(['A', 'B']);
  const file = [
    ['A', 'B'],
    ['B', 'A'],
    ['N', 'A'],
    ['M', 'unknown'],
  ] as const;
  const dry = await assign(file, { dryRun: true });
  t.same(await managers(), {});
  t.same(await assign(file), dry);
  t.equal(dry.counts.managersRejected, 3);
});

t.test('random imports never store a cycle, and store every manager that is not rejected', async (t) => {
  const numbers = Array.from({ length: 12 }, (_, index) => `E${index}`);
  const { assign, managers } = await company(numbers);
  const random = createRandom(20260415);
  const pick = () => random.pick(numbers);
  for (let round = 0; round < 10; round += 1) {
    const before = await managers();
    const file = numbers
      .filter(() => random.chance(0.6))
      .map((number) => [number, random.chance(0.2) ? '' : pick()] as const);
    const { refusals } = await assign(file);
    const rejected = new Set(refusals.map((text) => Number(/line (\d+)/.exec(text)?.[1])));
    const after = await managers();
    t.equal((await findCycles(new Map(Object.entries(after) as [string, string][]))).members.size, 0);
    const expected = { ...before };
    for (const [index, [number, manager]] of file.entries()) {
      if (rejected.has(index + 2)) continue;
      if (manager === '') delete expected[number];
      else expected[number] = manager;
    }
    t.same(after, expected);
  }
});

t.test('finds cycles in a chain of 20,000 managers', async (t) => {
  const chain = new Map(Array.from({ length: 20_000 }, (_, index) => [`E${index}`, `E${index + 1}`]));
  t.equal((await findCycles(chain)).leading.size, 0);
  t.equal((await findCycles(chain.set('E20000', 'E19999'))).members.size, 2);
  t.equal((await findCycles(chain)).leading.size, 20_001);
  t.equal((await findCycles(chain.set('E20000', 'E0'))).members.size, 20_001);
});

t.test('other work runs while the managers of a file are checked', async (t) => {
  const chain = new Map(Array.from({ length: 20_000 }, (_, index) => [`E${index}`, `E${index + 1}`]));
  for (const last of ['E20001', 'E0']) {
    const turns = await countTurns(() => findCycles(chain.set('E20000', last)));
    t.ok(turns >= 20_000 / 5_000, last);
  }
  const assignments = new Map(
    [...chain].map(([number, employeeNumber], line) => [number, { line, reference: { employeeNumber } }]),
  );
  // The account, and the only employee that is stored.
  const found = { number: 'E0', id: 'e0', managerId: null, updatedAt: new Date(0) };
  const tx = { $queryRaw: async () => [found] } as unknown as Prisma.TransactionClient;
  const { accountId } = await company([]);
  const assign = () => assignManagers(tx, accountId, { assignments, startedAt: new Date() });
  t.ok((await countTurns(assign)) >= 20_000 / 5_000);
});

t.test('the reports of a deleted employee have no manager, and count as changed', async (t) => {
  const { accountId, assign, idOf, managers } = await company(['A', 'B', 'C', 'D']);
  await assign([
    ['A', 'B'],
    ['B', 'C'],
    ['C', 'D'],
  ]);
  const where = { accountId, employeeNumber: 'A' };
  const before = await prisma.employee.findFirstOrThrow({ where });
  await prisma.employee.deleteMany({ where: { accountId, id: { in: [idOf('B'), idOf('D')] } } });
  t.same(await managers(), {});
  const after = await prisma.employee.findFirstOrThrow({ where });
  t.ok(after.updatedAt > before.updatedAt);
});

t.test('an account with managers is deleted', withForeignKeys, async (t) => {
  const { accountId, assign } = await company(['A', 'B']);
  await assign([['A', 'B']]);
  await prisma.account.deleteMany({ where: { id: accountId } });
  t.equal(await prisma.employee.count({ where: { accountId } }), 0);
});
