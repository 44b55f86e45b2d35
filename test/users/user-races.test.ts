import { UserAdministration } from '../../src/features/users/user-administration.js';
import { hashPassword } from '../../src/platform/accounts/passwords.js';
import { Sessions } from '../../src/platform/accounts/sessions.js';
import type { Prisma } from '../../src/platform/database/client.js';
import { Browser } from '../support/browser/browser.js';
import { openElsewhere, openSharedTestDatabase, testServer } from '../support/database/database.js';
import { waitingStatements } from '../support/database/transaction.js';
import {
  authorizationRequest,
  createScene,
  createUser,
  grantCode,
  hashOf,
  type Scene,
  signedInBrowser,
} from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestSecurityEmails } from '../support/server/test-security-emails.js';
import t from '../support/tap.js';
import { until } from '../support/until.js';

const { database, options } = await openSharedTestDatabase(t);
// Another process has its own connections. The embedded database has one, so transactions run one after the other.
const elsewhere = await openElsewhere(t, options, database);
const oneConnection = {
  skip: testServer === undefined && 'transactions of the embedded database take turns',
};

/** Transactions of the embedded database take turns, so more rounds than kinds of changes show nothing more. */
const rounds = (kinds: number) => (testServer === undefined ? kinds : 20);

const environment = { RATE_LIMIT_FAILURES: '0' };
const api = await buildTestApp(t, { database, environment });
const other = await buildTestApp(t, { database: elsewhere, clock: api.clock, environment });
const { clock } = api;
const users = new UserAdministration(database, createTestSecurityEmails(database, clock));
const usersElsewhere = new UserAdministration(elsewhere, createTestSecurityEmails(elsewhere, clock));
const operator = ({ accountId }: Pick<Scene, 'accountId'>) => ({ accountId, at: clock() });
const newPassword = 'another long password';

/** A user whose account has another owner, so that the user is not its last owner. */
async function sceneWithColleague() {
  const scene = await createScene(database);
  return { ...scene, colleague: await createUser(database, scene.accountId) };
}

const stateOf = async ({ user }: Pick<Scene, 'user'>) => ({
  sessions: await database.prisma.session.count({ where: { userId: user.id } }),
  grants: await database.prisma.grant.count({ where: { userId: user.id, revokedAt: null } }),
  codes: await database.prisma.authorizationCode.count({ where: { userId: user.id, usedAt: null } }),
});

/** Starts work while a transaction has uncommitted changes, until it waits for the transaction or has ended. */
async function whileUncommitted<Result>(
  changes: (tx: Prisma.TransactionClient) => Promise<unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  const started = await database.prisma.$transaction(async (tx) => {
    await changes(tx);
    let hasEnded = false;
    const result = work();
    result.catch(() => undefined).then(() => (hasEnded = true));
    await until(async () => hasEnded || (await waitingStatements(database)) > 0);
    return { result };
  });
  return started.result;
}

t.test('keeps one of the two last owners when both are demoted concurrently', async (t) => {
  for (let round = 0; round < rounds(4); round += 1) {
    const scene = await sceneWithColleague();
    const context = operator(scene);
    const go = (service: UserAdministration, id: string, how: number) =>
      how === 0 ? service.disable(context, id) : service.setRole(context, id, 'admin');
    const outcomes = await Promise.all([
      go(users, scene.user.id, round % 2),
      go(usersElsewhere, scene.colleague.id, (round >> 1) % 2),
    ]);
    t.same(outcomes.map(({ kind }) => kind).toSorted(), ['changed', 'last_owner']);
    const where = { accountId: scene.accountId, role: 'owner', disabledAt: null };
    t.equal(await database.prisma.user.count({ where }), 1);
  }
});

t.test('keeps the last owner while another transaction demotes the other one', oneConnection, async (t) => {
  const scene = await sceneWithColleague();
  const outcome = await whileUncommitted(
    async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM accounts WHERE id = ${scene.accountId} FOR NO KEY UPDATE`;
      await tx.user.updateMany({ where: { id: scene.colleague.id }, data: { role: 'admin' } });
    },
    () => usersElsewhere.disable(operator(scene), scene.user.id),
  );
  t.same(outcome, { kind: 'last_owner' });
});

t.test(
  'revokes the grant of an exchange that was under way when the user was disabled',
  oneConnection,
  async (t) => {
    const scene = await sceneWithColleague();
    const { code } = await grantCode(api, scene);
    const { id: userId } = scene.user;
    // The effects of the statement of the exchange.
    const exchange = async (tx: Prisma.TransactionClient) => {
      const applicationId = scene.application.id;
      const grant = { id: `grant${userId}`, accountId: scene.accountId, applicationId, userId };
      await tx.grant.create({ data: grant });
      await tx.authorizationCode.update({
        where: { codeHash: hashOf(code) },
        data: { usedAt: clock(), grantId: grant.id },
      });
    };
    const outcome = await whileUncommitted(exchange, () => usersElsewhere.disable(operator(scene), userId));
    t.match(outcome, { kind: 'changed', revokedGrants: 1 });
    t.same(await stateOf(scene), { sessions: 0, grants: 0, codes: 0 });
    t.equal(
      await database.prisma.authorizationCode.count({ where: { userId } }),
      1,
      'a used code is kept to detect its replay',
    );
  },
);

t.test('leaves no grant behind when a code is exchanged while the user is disabled', async (t) => {
  for (let round = 0; round < rounds(2); round += 1) {
    const scene = await sceneWithColleague();
    const { form } = await grantCode(api, scene);
    await Promise.all([
      users.disable(operator(scene), scene.user.id),
      other.postForm('/v1/oauth/token', form),
    ]);
    // Not with `enable`, which revokes remaining sessions and grants again.
    await database.prisma.user.updateMany({ where: { id: scene.user.id }, data: { disabledAt: null } });
    t.same(await stateOf(scene), { sessions: 0, grants: 0, codes: 0 });
  }
});

t.test('leaves no session when a sign-in coincides with a new password or a disabled user', async (t) => {
  for (let round = 0; round < rounds(2); round += 1) {
    const scene = await sceneWithColleague();
    const { id, email, password } = scene.user;
    const change =
      round % 2 === 0
        ? users.disable(operator(scene), id)
        : users.setPassword(operator(scene), id, newPassword);
    await Promise.all([change, new Browser(other.app).signIn(email, password)]);
    t.equal((await stateOf(scene)).sessions, 0);
  }
});

t.test('creates no session for a password that was replaced after the comparison', async (t) => {
  const scene = await createScene(database);
  const sessions = new Sessions(database, clock);
  const { passwordHash } = await database.prisma.user.findFirstOrThrow({ where: { id: scene.user.id } });
  const from = { address: '192.0.2.1', userAgent: undefined };
  const begin = () => sessions.create(scene.user, from, { passwordHash: passwordHash ?? '' });
  t.type(await begin(), 'string');
  await users.setPassword(operator(scene), scene.user.id, newPassword);
  t.equal(await begin(), null);
  t.equal((await stateOf(scene)).sessions, 0);
});

t.test('creates no session while another transaction disables the user', oneConnection, async (t) => {
  const { user } = await createScene(database);
  const from = { address: '192.0.2.1', userAgent: undefined };
  const session = await whileUncommitted(
    (tx) => tx.user.updateMany({ where: { id: user.id }, data: { disabledAt: clock() } }),
    () => new Sessions(elsewhere, clock).create(user, from),
  );
  t.equal(session, null);
  t.equal((await stateOf({ user })).sessions, 0);
});

t.test('signs in with a password whose hash another sign-in replaces meanwhile', oneConnection, async (t) => {
  const { user } = await createScene(database);
  const passwordHash = await hashPassword(user.password);
  const response = await whileUncommitted(
    (tx) => tx.user.updateMany({ where: { id: user.id }, data: { passwordHash } }),
    () => new Browser(other.app).signIn(user.email, user.password),
  );
  t.equal(response.statusCode, 303);
  t.same(await stateOf({ user }), { sessions: 1, grants: 0, codes: 0 });
});

t.test('rejects a password that is replaced while it is compared', oneConnection, async (t) => {
  const { user } = await createScene(database);
  const passwordHash = await hashPassword(newPassword);
  const response = await whileUncommitted(
    (tx) => tx.user.updateMany({ where: { id: user.id }, data: { passwordHash } }),
    () => new Browser(other.app).signIn(user.email, user.password),
  );
  t.equal(response.statusCode, 401);
  t.equal((await stateOf({ user })).sessions, 0);
});

t.test(
  'stores no code with scopes that the user lost while the consent form was under way',
  oneConnection,
  async (t) => {
    const scene = await sceneWithColleague();
    const browser = await signedInBrowser(other, scene.user);
    const { url } = authorizationRequest(scene);
    const page = await browser.open(url);
    const response = await whileUncommitted(
      (tx) => tx.user.updateMany({ where: { id: scene.user.id }, data: { role: 'member' } }),
      () => browser.submitForm(page, url, { decision: 'allow' }),
    );
    t.equal(response.statusCode, 403, response.body);
    t.notOk('location' in response.headers);
    t.equal((await stateOf(scene)).codes, 0);
  },
);
