import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Passwords } from '../../src/platform/accounts/passwords.js';
import { Users } from '../../src/platform/accounts/users.js';
import { hashSecret } from '../../src/platform/crypto/keyring.js';
import { createTestDatabase } from '../support/database/database.js';
import { openForCommands, runCommandHere } from '../support/processes/cli.js';
import { makeRecords, toCsv } from '../support/records/import.js';
import { createTenant } from '../support/records/tenant.js';
import t from '../support/tap.js';
import { countTurns } from '../support/turns.js';

const options = await createTestDatabase(t);
const run = (args: readonly string[], input?: string | Uint8Array) => runCommandHere(options, args, input);

/** Opens the database between two commands. */
async function withDatabase<Result>(
  use: (database: Awaited<ReturnType<typeof openForCommands>>) => Promise<Result>,
): Promise<Result> {
  const database = await openForCommands(options);
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

const password = 'a phrase of four words';
const person = ['--first-name', 'Bill', '--last-name', 'Lumbergh'];

t.test('every command has help, with examples where it has options', async (t) => {
  for (const args of [
    [],
    ['accounts'],
    ['accounts', 'create'],
    ['accounts', 'list'],
    ['accounts', 'domains'],
    ['accounts', 'confirm-domain'],
    ['accounts', 'remove-domain'],
    ['users', 'create'],
    ['employees', 'import'],
    ['employees', 'delete'],
    ['employee-attributes'],
    ['employee-attributes', 'add'],
    ['employee-attributes', 'purge'],
    ['applications', 'list'],
    ['applications', 'set-attributes'],
    ['applications', 'usage'],
    ['keys', 'rotate'],
    ['keys', 'reseal'],
    ['issuer', 'set'],
    ['prune'],
    ['migrate'],
    ['doctor'],
  ]) {
    const { code, stdout, stderr } = await run([...args, '--help']);
    t.equal(code, 0, args.join(' '));
    t.match(stdout, /^Usage: npm run cli -- /);
    t.equal(stdout.includes('Exit codes:'), args.length === 0);
    t.equal(stderr, '');
    if (args.length === 2 && args[0] !== 'keys') t.match(stdout, /\nExamples:\n {2}/);
  }
});

t.test('invalid arguments print one line and exit with 2', async (t) => {
  const create = [
    'users',
    'create',
    '--account',
    'x',
    '--email',
    'a@b.example',
    '--role',
    'member',
    ...person,
  ];
  for (const [args, expected] of [
    [['frobnicate'], /unknown command 'frobnicate'/],
    [['accounts', 'create'], /required option '--name <name>'/],
    [['accounts', 'create', '--name', ' '], /must not be blank/],
    [['accounts', 'create', '--name', 'x'.repeat(101)], /at most 100 characters/],
    [['accounts', 'create', '--name', 'x', '--owner-email', 'a@b.example'], /must be used together/],
    [create.with(5, 'nobody'), /must have the form name@example.com/],
    [create.with(7, 'king'), /Allowed choices are owner, admin, member/],
    [[...create, '--password', password], /unknown option '--password'/],
    [['employees', 'import', '--account', 'x'], /missing required argument 'file'/],
    [['employees', 'import', '-', '--account', 'x'], /--format must be csv or jsonl/],
    [['employees', 'import', 'x.csv', '--account', 'x', '--batch-size', '0'], /integer from 1 to 10000/],
    [['employees', 'import', 'x.csv', '--account', 'x', '--max-errors', '1e3'], /integer from 0/],
    [['employees', 'import', 'x.csv', '--account', 'x', '--format', 'xml'], /Allowed choices are csv, jsonl/],
  ] as const) {
    const { code, stdout, stderr } = await run(args);
    t.equal(code, 2, args.join(' '));
    t.match(stderr, expected);
    t.equal(stdout, '');
    t.ok(stderr.trim().split('\n').length <= 2, stderr);
  }
});

t.test('a command that fails prints one line and exits with 1', async (t) => {
  const users = ['users', 'create', '--email', 'a@b.example', '--role', 'member', ...person];
  for (const [args, expected, input] of [
    [['employees', 'import', `${options.dataDir}`, '--format', 'csv', '--account', 'x'], /it is a directory/],
    [['employees', 'import', '-', '--format', 'csv', '--account', 'nobody'], /Unknown account nobody/],
    [[...users, '--account', 'nobody'], /Unknown account nobody/],
    [
      ['accounts', 'create', '--name', 'x', '--owner-email', 'a@b.example', ...person],
      /at least 12 characters/,
      'short\n',
    ],
  ] as const) {
    const { code, stdout, stderr } = await run(args, input);
    t.equal(code, 1, args.join(' '));
    t.match(stderr, expected);
    t.equal(stderr.trim().split('\n').length, 1, stderr);
    t.equal(stdout, '');
  }
  for (const [file, expected] of [
    ['no-such.csv', /^Cannot read no-such\.csv: the file does not exist\n$/],
    [options.dataDir, /it is a directory\n$/],
  ] as const) {
    const failed = await run(['employees', 'import', file, '--format', 'csv', '--account', 'x']);
    t.match(failed, { code: 1, stderr: expected });
  }
  const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };
  const failed = await runCommandHere(options, ['accounts', 'list'], '', nowhere);
  t.match(failed, { code: 1, stderr: /^DATABASE_URL: [^\n]*\n$/ });
});

t.test('creates an account together with its owner, who can sign in', async (t) => {
  const args = [
    'accounts',
    'create',
    '--name',
    'Initech',
    '--owner-email',
    'Bill@Initech.example',
    ...person,
  ];
  const { code, stdout, stderr } = await run([...args, '--json'], `${password}\r\nnot the password\n`);
  t.equal(code, 0, stderr);
  const { id, name, owner_id: ownerId } = JSON.parse(stdout);
  t.equal(name, 'Initech');

  await withDatabase(async (database) => {
    const found = await new Users(database).findForSignIn('bill@initech.example');
    t.match(found?.user, {
      id: ownerId,
      accountId: id,
      role: 'owner',
      givenName: 'Bill',
      familyName: 'Lumbergh',
    });
    const request = { address: '', signal: new AbortController().signal };
    t.same(await new Passwords().check(found?.passwordHash ?? null, password, request), {
      matches: true,
      replacement: null,
    });
    const events = await database.prisma.auditEvent.findMany({ where: { accountId: id } });
    t.same(events.map(({ type }) => type).sort(), ['account.created', 'user.created']);
    t.notOk(JSON.stringify(events).includes(password));
  });

  const taken = await run(args, password);
  t.match(taken, { code: 1, stdout: '' });
  t.match(taken.stderr, /^A user with the e-mail address Bill@Initech\.example already exists\n$/);
  const listed = JSON.parse((await run(['accounts', 'list', '--json'])).stdout);
  t.match(
    listed,
    [{ id, name: 'Initech', users: 1, employees: 0 }],
    'without the account whose owner was rejected',
  );
});

t.test('creates a user in the named account', async (t) => {
  const args = ['users', 'create', '--role', 'member', ...person, '--email'];
  const { code, stdout, stderr } = await run(
    [...args, 'milton@initech.example', '--account', 'Initech'],
    password,
  );
  t.equal(code, 0, stderr);
  t.match(stdout, /^Created user [a-z0-9]{25} \(milton@initech\.example\) as member of Initech\.\n$/);

  await run(['accounts', 'create', '--name', 'Initech']);
  const ambiguous = await run([...args, 'other@initech.example', '--account', 'Initech'], password);
  t.equal(ambiguous.code, 1);
  t.match(ambiguous.stderr, /^2 accounts are named Initech; use the id/);

  const [first] = JSON.parse((await run(['accounts', 'list', '--json'])).stdout);
  const long = await run([...args, 'other@initech.example', '--account', first.id], 'x'.repeat(1025));
  t.match(long, { code: 1, stderr: /The password must have at most 1024 characters/ });
  t.equal((await run([...args, 'other@initech.example', '--account', first.id], password)).code, 0);
});

t.test('lists applications without their secrets', async (t) => {
  const { application, other } = await withDatabase(async (database) => ({
    application: (await createTenant(database, { name: 'Listed' })).application,
    other: (await createTenant(database, { name: 'Other\u001B[2J' })).application,
  }));
  const all = await run(['applications', 'list']);
  t.equal(all.code, 0, all.stderr);
  t.match(all.stdout, /^account +id +client_id +name /);
  t.ok(all.stdout.includes(application.clientId) && all.stdout.includes(other.clientId));
  t.notOk(all.stdout.includes('\u001B'), 'a name cannot control the terminal');
  const one = await run(['applications', 'list', '--account', 'Listed', '--json']);
  t.match(JSON.parse(one.stdout), [
    {
      account: 'Listed',
      client_id: application.clientId,
      client_type: 'confidential',
      in_development: false,
      readable_attributes: ['job_title', 'location', 'hire_date', 'termination_date', 'manager_id'],
      last_token_at: null,
    },
  ]);
  t.equal(JSON.parse(one.stdout).length, 1);
  for (const { stdout } of [all, one]) {
    t.notOk(stdout.includes(application.clientSecret));
    t.notOk(stdout.includes(Buffer.from(hashSecret(application.clientSecret)).toString('hex')));
  }
});

t.test('an import prints its counts, and exits with 1 if lines were rejected', async (t) => {
  const { accountId } = await withDatabase((database) => createTenant(database));
  const file = path.join(options.dataDir, 'staff.csv');
  const text = toCsv(makeRecords(25));
  await writeFile(file, text);
  const args = ['employees', 'import', file, '--account', accountId];

  const rehearsal = await run([...args, '--dry-run']);
  t.equal(rehearsal.code, 0, rehearsal.stderr);
  t.match(
    rehearsal.stdout,
    /^25 records read: 25 would be created, 0 would be updated, 0 unchanged, 0 rejected\.\n/,
  );
  t.match(rehearsal.stdout, /dry run: nothing was changed\.\n$/);

  const first = await run(args);
  t.match(first, { code: 0, stderr: '' });
  t.equal(first.stdout, '25 records read: 25 created, 0 updated, 0 unchanged, 0 rejected.\n');

  await writeFile(file, `${text}E9,only,four,fields\n`);
  const second = await run([...args, '--json']);
  t.equal(second.code, 3);
  t.equal(withoutProgress(second.stderr), 'line 27: has 4 fields where the header has 6\n');
  t.match(JSON.parse(second.stdout), { read: 26, unchanged: 25, rejected: 1, ending: 'complete' });

  const impatient = await run([...args, '--max-errors', '0']);
  t.equal(impatient.code, 1);
  t.match(
    withoutProgress(impatient.stderr),
    /^line 27: [^\n]*\nStopped after 1 rejected line \(--max-errors\)\.\n$/,
  );
  t.match(impatient.stdout, /^26 records read: .* 1 rejected, 25 not stored\.\n/);

  const piped = await run(['employees', 'import', '-', '--format', 'csv', '--account', accountId], text);
  t.match(piped, { code: 0, stdout: /^25 records read: 0 created, 0 updated, 25 unchanged/ });

  await writeFile(file, 'number,name\n1,x\n');
  const other = await run(args);
  t.equal(other.code, 1);
  t.match(other.stderr, /staff\.csv: the header has the unknown columns number, name and lacks the columns/);
});

t.test('an import of a file of empty lines lets other work run', async (t) => {
  const { accountId } = await withDatabase((database) => createTenant(database));
  const text = Buffer.concat([Buffer.from(toCsv(makeRecords(2))), Buffer.alloc(256 * 1024, '\n')]);
  const args = ['employees', 'import', '-', '--format', 'csv', '--account', accountId];
  const turns = await countTurns(async () => {
    t.match(await run(args, text), { code: 0, stdout: /^2 records read: 2 created/ });
  });
  t.ok(turns >= 64, `${turns} turns`);
});

/** An import that takes longer than five seconds prints its progress. */
function withoutProgress(stderr: string): string {
  return stderr.replaceAll(/^.* lines\/s.*\n/gm, '');
}
