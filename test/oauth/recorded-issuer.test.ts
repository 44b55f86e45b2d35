import { claimIssuer, IssuerError, readIssuer, setIssuer } from '../../src/oauth/recorded-issuer.js';
import { describeFailure } from '../../src/process/operator-errors.js';
import { openTestDatabase, testServer } from '../support/database/database.js';
import { createTestClock } from '../support/server/clock.js';
import t, { type Test } from '../support/tap.js';

const first = 'https://people.example';
const second = 'https://people.example.net';
const onPostgresql = { skip: testServer === undefined && 'the embedded database adopts another BASE_URL' };
const onEmbedded = { skip: testServer !== undefined && 'PostgreSQL does not adopt another BASE_URL' };

async function setUp(t: Test) {
  const database = await openTestDatabase(t);
  const at = createTestClock()();
  const warnings: object[] = [];
  const logger = { warn: (details: object) => void warnings.push(details) };
  const claim = (url: string) => claimIssuer(database, url, { at, logger });
  const read = () => readIssuer(database.prisma);
  const events = () => database.prisma.systemEvent.findMany({ where: { type: 'issuer.changed' } });
  return { database, read, at, warnings, claim, events };
}

t.test('the first start records BASE_URL, and later ones with the same one change nothing', async (t) => {
  const { database, read, at, warnings, claim, events } = await setUp(t);
  t.equal(await read(), null);
  await claim(first);
  await claim(first);
  t.same(await database.prisma.issuer.findMany(), [{ id: 1, url: first, recordedAt: at }]);
  t.same(warnings, []);
  t.same(await events(), []);
});

t.test(
  'rejects another BASE_URL on PostgreSQL with one line that names the command',
  onPostgresql,
  async (t) => {
    const { read, claim } = await setUp(t);
    await claim(first);
    for (const other of [second, 'http://people.example', `${first}:8443`]) {
      const error = await claim(other).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      t.ok(error instanceof IssuerError);
      const line = describeFailure(error);
      t.match(line, /^BASE_URL is [^\n]+$/);
      t.ok(line.includes(first));
      t.ok(line.includes(`npm run cli -- issuer set ${other}"`));
    }
    t.equal(await read(), first);
  },
);

t.test(
  'one of several concurrent starts with different BASE_URLs succeeds on PostgreSQL',
  onPostgresql,
  async (t) => {
    const { read, claim } = await setUp(t);
    const urls = [1, 2, 3, 4, 5].map((number) => `https://${number}.people.example`);
    const outcomes = await Promise.allSettled(urls.map(claim));
    const winners = urls.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    t.same(winners, [await read()]);
  },
);

t.test(
  'the embedded database adopts another BASE_URL with a warning and an audit event',
  onEmbedded,
  async (t) => {
    const { read, warnings, claim, events } = await setUp(t);
    await claim(first);
    await claim(second);
    t.equal(await read(), second);
    t.same(warnings, [{ from: first, to: second }]);
    t.match(await events(), [{ details: { from: first, to: second } }]);
  },
);

t.test('an operator changes the issuer, which is audited once', async (t) => {
  const { database, at, claim, events } = await setUp(t);
  await claim(first);
  t.equal(await setIssuer(database, second, at), first);
  t.equal(await setIssuer(database, second, at), second, 'changes nothing again');
  await claim(second);
  t.match(await events(), [{ details: { from: first, to: second }, createdAt: at }]);
  t.equal((await events()).length, 1);
});

t.test('an operator records an issuer before the first start', async (t) => {
  const { database, at, claim, events } = await setUp(t);
  t.equal(await setIssuer(database, first, at), null);
  await claim(first);
  t.match(await events(), [{ details: { to: first } }]);
});

t.test('the database stores at most one issuer', async (t) => {
  const { database, at, claim } = await setUp(t);
  await claim(first);
  await t.rejects(database.prisma.issuer.create({ data: { id: 2, url: second, recordedAt: at } }));
});
