import { resealSigningKeys, SigningKeys } from '../../src/oauth/keys/signing-keys.js';
import { UnreadableSecretError } from '../../src/platform/crypto/keyring.js';
import { describeFailure } from '../../src/process/operator-errors.js';
import { openSharedTestDatabase, testServer } from '../support/database/database.js';
import { openTransaction, untilWaiting } from '../support/database/transaction.js';
import { createTestClock } from '../support/server/clock.js';
import t, { type Test } from '../support/tap.js';

const older = 'the older secret of the application';
const newer = 'the newer secret of the application';
const changing = { current: newer, previous: older };

/** A database with keys that the previous secret encrypted: two retired ones, and the current one. */
async function setUp(t: Test) {
  const { database, options } = await openSharedTestDatabase(t);
  const clock = createTestClock();
  const signingKeys = await SigningKeys.open(database, { current: older }, clock);
  await signingKeys.rotate({ tokenTtlSeconds: 3600 });
  await signingKeys.rotate({ tokenTtlSeconds: 3600 });
  const rows = () => database.prisma.signingKey.findMany({ orderBy: { kid: 'asc' } });
  const events = () => database.prisma.systemEvent.findMany({ where: { type: 'signing_key.resealed' } });
  const open = (current: string) => SigningKeys.open(database, { current }, clock);
  return { database, options, clock, signingKeys, rows, events, open };
}

t.test('encrypts every key again, so that the current secret alone opens them', async (t) => {
  const { database, clock, signingKeys, rows, open } = await setUp(t);
  const before = await rows();
  await t.rejects(open(newer), UnreadableSecretError);
  t.equal(await resealSigningKeys(database, changing, clock()), 3);
  const after = await rows();
  for (const [index, row] of after.entries()) {
    t.not(row.privateKey, before[index]?.privateKey, 'retired or not');
    t.same({ ...row, privateKey: '' }, { ...before[index], privateKey: '' }, 'nothing else is changed');
  }
  const reopened = await open(newer);
  t.equal(reopened.current.kid, signingKeys.current.kid);
  t.ok(reopened.current.privateKey.equals(signingKeys.current.privateKey), 'it is the same key');
  await t.rejects(open(older), UnreadableSecretError);
});

t.test('does not re-encrypt expired keys', async (t) => {
  const { database, clock, rows, events } = await setUp(t);
  const { kid = '' } = (await rows()).find(({ expiresAt }) => expiresAt !== null) ?? {};
  const unreadable = { privateKey: 'encrypted with another secret', expiresAt: clock() };
  await database.prisma.signingKey.update({ where: { kid }, data: unreadable });
  t.equal(await resealSigningKeys(database, changing, clock()), 2);
  const after = await rows();
  t.match(after.find((row) => row.kid === kid) ?? {}, unreadable);
  const others = after.map((row) => row.kid).filter((other) => other !== kid);
  t.same(
    (await events()).map(({ details }) => (details as { kids: string[] }).kids.sort()),
    [others],
  );
});

t.test('changes nothing when it is run again, and is audited once', async (t) => {
  const { database, clock, rows, events } = await setUp(t);
  await resealSigningKeys(database, changing, clock());
  const after = await rows();
  t.equal(await resealSigningKeys(database, changing, clock()), 0);
  t.equal(await resealSigningKeys(database, { current: newer }, clock()), 0);
  t.same(await rows(), after);
  const stored = await events();
  t.match(stored, [{ createdAt: clock() }]);
  t.same(
    stored.map(({ details }) => (details as { kids: string[] }).kids.sort()),
    [after.map(({ kid }) => kid)],
  );
});

t.test('encrypts only the keys that another secret encrypted', async (t) => {
  const { database, clock, rows } = await setUp(t);
  const changed = await SigningKeys.open(database, changing, clock);
  const kid = await changed.rotate({ tokenTtlSeconds: 3600 });
  const before = await rows();
  t.equal(await resealSigningKeys(database, changing, clock()), 3);
  const same = (await rows()).filter(({ privateKey }, index) => privateKey === before[index]?.privateKey);
  t.same(
    same.map((row) => row.kid),
    [kid],
  );
});

t.test('encrypts all keys or none: a key of a third secret stops it with one line', async (t) => {
  const { database, clock, rows, events } = await setUp(t);
  const before = await rows();
  const error = await resealSigningKeys(
    database,
    { current: newer, previous: 'a secret that encrypted none of the keys' },
    clock(),
  ).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  t.ok(error instanceof UnreadableSecretError);
  t.match(describeFailure(error), /^Signing key [^\n]+ APP_SECRET_PREVIOUS[^\n]+$/);
  t.same(await rows(), before);
  t.same(await events(), []);
});

t.test('one of two concurrent runs encrypts the keys, and the other changes nothing', async (t) => {
  const { database, clock, events, open } = await setUp(t);
  const counts = await Promise.all([1, 2].map(() => resealSigningKeys(database, changing, clock())));
  t.same(counts.sort(), [0, 3]);
  t.equal((await events()).length, 1);
  t.ok(await open(newer));
});

t.test(
  'encrypts the key of a rotation that is under way',
  { skip: testServer === undefined && 'the embedded database has one connection' },
  async (t) => {
    const { database, options, clock } = await setUp(t);
    const rotation = await openTransaction(t, options);
    await rotation.query('LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE');
    await rotation.query(`
      INSERT INTO signing_keys (kid, algorithm, private_key, public_key, created_at, retired_at, expires_at)
      SELECT 'another', algorithm, private_key, public_key, created_at, retired_at, expires_at
      FROM signing_keys WHERE retired_at IS NOT NULL LIMIT 1 RETURNING kid`);
    const resealed = resealSigningKeys(database, changing, clock());
    await untilWaiting(database, 1);
    await rotation.end('COMMIT');
    t.equal(await resealed, 4);
    t.equal(await resealSigningKeys(database, { current: newer }, clock()), 0, 'it opens every key');
  },
);

t.test('encrypts more keys than one transaction changes', async (t) => {
  const { database, clock, rows } = await setUp(t);
  const [row] = await rows();
  if (row === undefined) throw new Error('There is no key');
  const { publicKey, ...others } = { ...row, retiredAt: clock(), expiresAt: null };
  const data = Array.from({ length: 498 }, (_, index) => ({
    ...others,
    publicKey: publicKey as Record<string, string>,
    kid: `copy-${index}`,
  }));
  await database.prisma.signingKey.createMany({ data });
  t.equal(await resealSigningKeys(database, changing, clock()), 501);
  t.equal(await resealSigningKeys(database, { current: newer }, clock()), 0, 'it opens every key');
});
