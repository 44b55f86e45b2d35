import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Users } from '../../src/platform/accounts/users.js';
import type { Database } from '../../src/platform/database/client.js';
import { Browser } from '../support/browser/browser.js';
import { createTestDatabase, testServer } from '../support/database/database.js';
import {
  authorizationRequest,
  createScene,
  createUser,
  expectTokenRejected,
  grantTokens,
  signedInBrowser,
  tokenAccepted,
} from '../support/oauth/users.js';
import { openForCommands, runCommandHere } from '../support/processes/cli.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const options = await createTestDatabase(t);
const run = (args: readonly string[], input?: string) => runCommandHere(options, ['users', ...args], input);

/** Opens the database between two commands. */
async function withDatabase<Result>(use: (database: Database) => Promise<Result>): Promise<Result> {
  const database = await openForCommands(options);
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

/** An account with two owners, so that one of them can be disabled. */
const newScene = () =>
  withDatabase(async (database) => {
    const scene = await createScene(database);
    return { ...scene, colleague: await createUser(database, scene.accountId) };
  });

/** The mail to an address that the commands left in the outbox. */
function mailTo(address: string): string | undefined {
  const directory = path.join(options.dataDir, 'outbox');
  const mails = readdirSync(directory).map((name) => readFileSync(path.join(directory, name), 'utf8'));
  return mails.find((mail) => mail.includes(`To: ${address}\n`));
}

const password = 'a phrase of four words';

t.test('lists the users of an account with role and state', async (t) => {
  const { accountId, user, colleague } = await newScene();
  await newScene();
  await run(['disable', colleague.id]);
  const listed = await run(['list', '--account', accountId]);
  t.match(listed, { code: 0, stderr: '' });
  t.match(listed.stdout, /^id +email +role +state +second_factor +created_at\n/);
  const expected = [
    { id: user.id, email: user.email, role: 'owner', state: 'enabled' },
    { id: colleague.id, email: colleague.email, role: 'owner', state: 'disabled' },
  ].toSorted((a, b) => (a.email < b.email ? -1 : 1));
  const rows = JSON.parse((await run(['list', '--account', accountId, '--json'])).stdout);
  t.match(rows, expected);
  t.equal(rows.length, 2, 'no records of other accounts');
  t.same(Object.keys(rows[0]), ['id', 'email', 'role', 'state', 'second_factor', 'created_at']);
});

t.test(
  'each command prints its changes, and a repeated command prints that it changed nothing',
  async (t) => {
    const { user } = await newScene();
    const { email } = user;
    for (const [args, expected] of [
      [['disable', email], `User ${email} was disabled.\n`],
      [['disable', email], `User ${email} is already disabled; nothing was changed.\n`],
      [['enable', email], `User ${email} was enabled.\n`],
      [['enable', email], `User ${email} is already enabled; nothing was changed.\n`],
      [['remove-second-factors', email], `User ${email} has no second factor; nothing was changed.\n`],
      [['set-role', email, 'member'], `User ${email} now has the role member.\n`],
      [['set-role', email, 'member'], `User ${email} already has the role member; nothing was changed.\n`],
      [['revoke-sessions', email], `User ${email} has no sessions; nothing was changed.\n`],
      [
        ['set-email', email, email.toUpperCase()],
        `User ${email} already signs in with ${email.toUpperCase()}; nothing was changed.\n`,
      ],
      [['disable', user.id], `User ${email} was disabled.\n`],
      [['enable', ` ${email}`.trim().toUpperCase()], `User ${email} was enabled.\n`],
    ] as const) {
      t.same(await run(args), { code: 0, stdout: expected, stderr: '' }, args.join(' '));
    }
  },
);

t.test('a change prints the sessions and grants that it revoked', async (t) => {
  const { user } = await withDatabase(async (database) => {
    const scene = await createScene(database);
    await createUser(database, scene.accountId);
    const api = await buildTestApp(t, { database });
    await grantTokens(api, scene);
    for (let count = 0; count < 2; count += 1) await signedInBrowser(api, scene.user);
    await api.app.close();
    return scene;
  });
  const { stdout } = await run(['disable', user.email]);
  t.equal(stdout, `User ${user.email} was disabled. Revoked: 2 sessions and 1 grant.\n`);
});

t.test('replaces a password with one from standard input', async (t) => {
  const { user } = await newScene();
  const short = await run(['set-password', user.email], 'short\n');
  t.match(short, { code: 1, stdout: '', stderr: 'The password must have at least 12 characters\n' });
  const done = await run(['set-password', user.email], `${password}\r\nnot the password\n`);
  t.same(done, { code: 0, stdout: `User ${user.email} has a new password.\n`, stderr: '' });
  t.match(mailTo(user.email), /^Subject: Your password was changed$/m);
  await withDatabase(async (database) => {
    const { app } = await buildTestApp(t, { database });
    t.equal((await new Browser(app).signIn(user.email, user.password)).statusCode, 401);
    t.equal((await new Browser(app).signIn(user.email, password)).statusCode, 303);
    await app.close();
  });
});

t.test('changes the e-mail address of a user, unless another user has it', async (t) => {
  const { user } = await newScene();
  const other = await newScene();
  const address = `new.${user.email}`;
  const rejected = await run(['set-email', user.email, other.user.email.toUpperCase()]);
  t.same(rejected, {
    code: 1,
    stdout: '',
    stderr: 'The e-mail address belongs to another user, or its domain to another account\n',
  });
  t.match(await run(['set-email', user.email, 'nothing']), { code: 2, stdout: '' });
  const done = await run(['set-email', user.email, address]);
  t.same(done, { code: 0, stdout: `User ${user.email} now signs in with ${address}.\n`, stderr: '' });
  t.match(mailTo(user.email), /^Subject: Your e-mail address was changed$/m, 'to the earlier address');
  await withDatabase(async (database) => {
    const { app } = await buildTestApp(t, { database });
    t.equal((await new Browser(app).signIn(user.email, user.password)).statusCode, 401);
    t.equal((await new Browser(app).signIn(address, user.password)).statusCode, 303);
    const [event] = await database.prisma.auditEvent.findMany({ where: { type: 'user.email_changed' } });
    t.match(event, { userId: null, details: { user: user.id, email: address, from: user.email } });
    await app.close();
  });
});

t.test('rejects an unknown user, the last owner and an unknown role with one line', async (t) => {
  const { user } = await withDatabase((database) =>
    createScene(database, { accountName: 'Initech\u001B[2J' }),
  );
  const last = `User ${user.email} is the last enabled owner of Initech?[2J; make another user an owner first\n`;
  for (const [args, expected] of [
    [['disable', 'nobody@users.example'], 'Unknown user nobody@users.example; see: users list\n'],
    [['enable', 'nobody'], 'Unknown user nobody; see: users list\n'],
    [['set-password', '\u001B[2J@x'], 'Unknown user ?[2J@x; see: users list\n'],
    [['set-role', 'nobody', 'owner'], 'Unknown user nobody; see: users list\n'],
    [['revoke-sessions', 'nobody'], 'Unknown user nobody; see: users list\n'],
    [['list', '--account', 'nobody'], 'Unknown account nobody; see: accounts list\n'],
    [['disable', user.email], last],
    [['set-role', user.email, 'member'], last],
  ] as const) {
    t.same(await run(args, password), { code: 1, stdout: '', stderr: expected }, args.join(' '));
  }
  for (const args of [['set-role', user.email, 'king'], ['set-role', user.email], ['disable'], ['list']]) {
    t.match(await run(args), { code: 2, stdout: '' }, args.join(' '));
  }
});

t.test('the help of every command has an example', async (t) => {
  for (const command of [
    'list',
    'disable',
    'enable',
    'set-role',
    'set-email',
    'set-password',
    'revoke-sessions',
  ]) {
    const { code, stdout } = await run([command, '--help']);
    t.equal(code, 0);
    t.match(stdout, /^Usage: npm run cli -- users /);
    t.match(stdout, /\nExamples:\n {2}/);
  }
});

t.test('stores addresses and passwords in Unicode form NFC, whatever form was entered', async (t) => {
  const { accountId } = await newScene();
  const decomposed = 'Ju\u0308rgen.Bo\u030Cz@users.example';
  const person = ['--role', 'member', '--given-name', 'J', '--family-name', 'B'];
  const created = await run(
    ['create', '--account', accountId, '--email', decomposed, ...person, '--json'],
    'Mu\u0308ller und So\u0308hne',
  );
  t.equal(created.code, 0, created.stderr);
  const email = 'j\u00FCrgen.b\u01D2z@users.example';
  t.equal(JSON.parse(created.stdout).email, email);
  const again = await run(['create', '--account', accountId, '--email', email, ...person], password);
  t.match(again, { code: 1, stderr: /already exists/ });
  const signIn = (passwords: readonly string[]) =>
    withDatabase(async (database) => {
      t.not(await new Users(database).findForSignIn(decomposed), null);
      const { app } = await buildTestApp(t, { database });
      for (const address of [email, decomposed]) {
        for (const text of passwords) {
          t.equal((await new Browser(app).signIn(address, text)).statusCode, 303, JSON.stringify(text));
        }
      }
      await app.close();
    });
  await signIn(['M\u00FCller und S\u00F6hne', 'Mu\u0308ller und So\u0308hne']);
  t.equal((await run(['set-password', decomposed], 'neun a\u0308pfel, neun')).code, 0);
  await signIn(['neun \u00E4pfel, neun', 'neun a\u0308pfel, neun']);

  const opened = await runCommandHere(
    options,
    ['accounts', 'create', '--name', 'Nu', '--owner-email', 'A\u030A@users.example', ...person.slice(2)],
    password,
  );
  t.equal(opened.code, 0, opened.stderr);
  t.equal((await run(['set-password', '\u00E5@users.example'], password)).code, 0);
});

t.test(
  'a running server rejects the tokens of a user as soon as the command exits',
  { skip: testServer === undefined && 'the embedded database is open in one process at a time' },
  async (t) => {
    const database = await openForCommands(options);
    t.teardown(() => database.close());
    const api = await buildTestApp(t, { database });
    const scene = await createScene(database);
    await createUser(database, scene.accountId);
    const { accessToken } = await grantTokens(api, scene);
    const browser = await signedInBrowser(api, scene.user);
    const { url } = authorizationRequest(scene);
    t.equal((await browser.open(url)).statusCode, 200);
    await tokenAccepted(t, api, accessToken);
    t.equal((await run(['disable', scene.user.email])).code, 0);
    t.equal((await browser.open(url)).statusCode, 302);
    await expectTokenRejected(t, api, accessToken, 'invalid_token');
  },
);
