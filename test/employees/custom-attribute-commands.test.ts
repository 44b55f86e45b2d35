import { createTestDatabase } from '../support/database/database.js';
import { openForCommands, runCommandHere } from '../support/processes/cli.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import t from '../support/tap.js';

const options = await createTestDatabase(t);
const database = await openForCommands(options);
const { prisma } = database;

/** A new account with a name, and a function that runs a command for it. */
async function newAccount(name: string) {
  const tenant = await createTenant(database, { name, employees: makeEmployees(1) });
  const { accountId } = tenant;
  return {
    ...tenant,
    run: (command: string, ...args: readonly string[]) =>
      runCommandHere(options, ['employee-attributes', command, ...args, '--account', name]),
    stored: (key: string) =>
      prisma.customAttribute.findUnique({ where: { accountId_key: { accountId, key } } }),
  };
}

t.test('the commands have help with examples', async (t) => {
  for (const command of ['list', 'add', 'set', 'archive', 'restore', 'purge']) {
    const { code, stdout } = await runCommandHere(options, ['employee-attributes', command, '--help']);
    t.equal(code, 0, command);
    t.match(stdout, /^Usage: npm run cli -- /);
    t.match(stdout, /\nExamples:\n {2}/);
  }
});

t.test('attributes are added, listed, changed, archived, restored and deleted', async (t) => {
  const { accountId, employeeIds, run, stored } = await newAccount('Initech');
  const other = await newAccount('Other');
  await defineAttributes(database, other.accountId, [{ key: 'theirs' }]);
  t.match(await run('add', '--label', 'Cost center', '--type', 'text'), {
    ...{ code: 0, stderr: '', stdout: 'Added the attribute cost_center.\n' },
  });
  const shirt = ['--label', 'T-shirt', '--type', 'choice', '--key', 'shirt', '--choices', 'S; M;L'];
  t.match(await run('add', ...shirt, '--required', 'yes'), {
    code: 0,
    stdout: 'Added the attribute shirt.\n',
  });
  t.match(await stored('shirt'), { choices: ['S', 'M', 'L'], required: true, sensitive: false });
  t.match(await other.run('add', '--label', 'Mentor', '--type', 'employee'), { code: 0 });
  t.match(await other.stored('mentor'), { type: 'employee', choices: [] });

  const listed = await run('list', '--json');
  t.match(JSON.parse(listed.stdout), [
    { key: 'cost_center', label: 'Cost center', type: 'text', choices: [], archived_at: null },
    { key: 'shirt', required: true, choices: ['S', 'M', 'L'], purge_requested_at: null },
  ]);
  t.notMatch((await run('list')).stdout, 'theirs');

  const set = ['shirt', '--label', 'Shirt', '--choices', 'S;L', '--required', 'no', '--sensitive', 'yes'];
  t.match(await run('set', ...set), { code: 0, stdout: 'Changed the attribute shirt.\n' });
  t.match(await stored('shirt'), { label: 'Shirt', choices: ['S', 'L'], required: false, sensitive: true });
  t.match(await run('set', ...set), { code: 0, stdout: /nothing was changed/ });
  t.match(await run('set', 'shirt', '--description', 'For the shop'), { code: 0 });
  t.match(await stored('shirt'), { label: 'Shirt', description: 'For the shop' });

  const [id = ''] = employeeIds;
  await setCustomValues(database, accountId, id, { shirt: 'S', cost_center: 'C1' });
  t.match(await run('archive', 'shirt'), { code: 0, stdout: 'Archived the attribute shirt.\n' });
  t.match(await run('archive', 'shirt'), { code: 0, stdout: 'The attribute shirt is already archived.\n' });
  t.match(await run('restore', 'shirt'), { code: 0, stdout: 'Restored the attribute shirt.\n' });
  t.match(await run('restore', 'shirt'), { code: 0, stdout: 'The attribute shirt is not archived.\n' });
  await run('archive', 'shirt');
  t.match(await run('purge', 'shirt'), { code: 0, stdout: 'Deleted the attribute shirt with its values.\n' });
  t.equal(await stored('shirt'), null);
  const employee = await prisma.employee.findFirstOrThrow({ where: { accountId, id } });
  t.same(employee.custom, { cost_center: 'C1' });
  const events = await prisma.auditEvent.findMany({
    where: { accountId, type: { startsWith: 'custom_attribute.' }, NOT: { userId: null } },
  });
  t.same(events, [], 'the operator is the actor');
});

t.test('invalid commands are rejected with one line, and change nothing', async (t) => {
  const { accountId, run, stored } = await newAccount('Careful');
  await newAccount('Elsewhere');
  const added = ['--label', 'Room', '--type', 'text'];
  await run('add', ...added);
  const before = await stored('room');
  for (const [args, code, expected] of [
    [['add', ...added], 1, /^Key is already used by the attribute Room\. Label is already used/],
    [['add', '--label', 'Status', '--type', 'text', '--key', 'x'], 1, /^Label is already used by/],
    [['add', '--label', 'X', '--type', 'text', '--key', 'Bad-Key'], 1, /^Key must have lower-case/],
    [['add', '--label', '中文', '--type', 'text'], 1, /^Key is required\./],
    [['add', '--label', 'X', '--type', 'person'], 2, /Allowed choices are text/],
    [['add', '--label', 'X', '--type', 'choice'], 1, /^Choices must have 1 to 50/],
    [['add', '--label', 'X', '--type', 'text', '--required', 'maybe'], 2, /Use yes or no\./],
    [['add', '--type', 'text'], 2, /required option '--label <text>'/],
    [['set', 'room', '--choices', 'A'], 1, /^Choices must be empty for this type\./],
    [['set', 'room', '--label', ''], 1, /^Label must not be blank\./],
    [['set', 'nothing', '--label', 'X'], 1, /^Careful has no attribute with the key nothing; see:/],
    [['archive', '\u001B[2J'], 1, /^Careful has no attribute with the key \?\[2J; see:/],
    [['restore', 'nothing'], 1, /^Careful has no attribute/],
    [['purge', 'nothing'], 1, /^Careful has no attribute/],
    [['purge', 'room'], 1, /^Archive the attribute room first/],
  ] as const) {
    const [command, ...rest] = args;
    const result = await run(command, ...rest);
    t.match(result, { code, stdout: '', stderr: expected }, args.join(' '));
  }
  const elsewhere = ['employee-attributes', 'archive', 'room', '--account', 'Elsewhere'];
  t.match(await runCommandHere(options, elsewhere), { code: 1, stderr: /^Elsewhere has no attribute/ });
  t.same(await stored('room'), before);
  t.equal(await prisma.customAttribute.count({ where: { accountId } }), 1);
});
