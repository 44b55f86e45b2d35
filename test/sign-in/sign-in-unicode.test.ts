import { hash } from '@node-rs/argon2';
import { hashPassword, maximumPasswordLength, Passwords } from '../../src/platform/accounts/passwords.js';
import { randomId } from '../../src/platform/database/ids.js';
import { Browser } from '../support/browser/browser.js';
import { createUser } from '../support/oauth/users.js';
import { patienceMs } from '../support/patience.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

// With the recommended parameters.
const passwords = new Passwords({ waitMs: patienceMs });
const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' }, passwords });
const { app, database } = api;
const { accountId } = await createTenant(database);

const composed = 'M\u00FCller und S\u00F6hne';
const decomposed = composed.normalize('NFD');

const signIn = async (email: string, password: string) =>
  (await new Browser(app).signIn(email, password)).statusCode;
const hashOf = async (id: string) =>
  (await database.prisma.user.findFirstOrThrow({ where: { id } })).passwordHash;

/** A hash as earlier versions computed it: of the text as entered. */
const rawHash = (password: string) => hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });

t.test('accepts a password in either Unicode form', async (t) => {
  const user = await createUser(database, accountId, { passwordHash: await hashPassword(decomposed) });
  const before = await hashOf(user.id);
  for (const password of [composed, decomposed]) t.equal(await signIn(user.email, password), 303);
  t.equal(await hashOf(user.id), before, 'keeps its hash');
  t.equal(await signIn(user.email, 'Muller und Sohne'), 401);
});

t.test('accepts an e-mail address in any case and either Unicode form', async (t) => {
  const user = await createUser(database, accountId);
  const email = `j\u00FCrgen.\u01F0.${randomId(6)}@users.example`;
  await database.prisma.user.updateMany({ where: { id: user.id }, data: { email } });
  for (const typed of [
    email,
    email.normalize('NFD'),
    email.toUpperCase(),
    email.toUpperCase().normalize('NFD'),
  ])
    t.equal(await signIn(typed, user.password), 303, JSON.stringify(typed));
});

t.test(
  'accepts a password that was hashed without normalization, and normalizes it from then on',
  async (t) => {
    const user = await createUser(database, accountId, { passwordHash: await rawHash(decomposed) });
    const before = await hashOf(user.id);
    t.equal(
      await signIn(user.email, composed),
      401,
      'the unnormalized password matches only once it is entered again',
    );
    t.equal(await hashOf(user.id), before);
    t.equal(await signIn(user.email, decomposed), 303);
    t.not(await hashOf(user.id), before);
    for (const password of [composed, decomposed]) t.equal(await signIn(user.email, password), 303);
  },
);

t.test('a sign-in that succeeds records the form of a hash without one, and keeps the hash', async (t) => {
  const user = await createUser(database, accountId, { passwordHash: await rawHash(composed) });
  const before = await hashOf(user.id);
  t.equal(await signIn(user.email, decomposed), 303);
  t.equal((await hashOf(user.id))?.replace(',keyid=bmZj', ''), before);
  for (const password of [composed, decomposed]) t.equal(await signIn(user.email, password), 303);
});

t.test('replaces a hash with other parameters at the next sign-in, and only then', async (t) => {
  const passwordHash = await hash(composed, { memoryCost: 64, timeCost: 1, parallelism: 1 });
  const user = await createUser(database, accountId, { passwordHash });
  const { updatedAt } = await database.prisma.user.findFirstOrThrow({ where: { id: user.id } });
  t.equal(await signIn(user.email, 'wrong'), 401);
  t.equal(await hashOf(user.id), passwordHash);
  t.equal(await signIn(user.email, composed), 303);
  const replaced = await hashOf(user.id);
  t.match(replaced, /^\$argon2id\$v=19\$m=19456,t=2,p=1,keyid=bmZj\$/);
  t.equal(await signIn(user.email, composed), 303);
  t.equal(await hashOf(user.id), replaced);
  const after = await database.prisma.user.findFirstOrThrow({ where: { id: user.id } });
  t.same(after.updatedAt, updatedAt, 'the profile did not change');
});

t.test('counts the length of a password in its normalized form', async (t) => {
  // A letter and its mark are one character when composed.
  const longest = 'u\u0308'.repeat(maximumPasswordLength);
  const user = await createUser(database, accountId, { passwordHash: await hashPassword(longest) });
  t.equal(await signIn(user.email, longest), 303);
  t.equal(await signIn(user.email, longest.normalize('NFC')), 303);
  t.equal(await signIn(user.email, `${longest}u\u0308`), 401);
});
