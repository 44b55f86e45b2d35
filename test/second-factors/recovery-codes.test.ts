import { expectRedirect, isPage } from '../support/browser/pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import {
  addPasskeyIn,
  appPath,
  enterPassword,
  factorsPath,
  recoveryCodesOn,
  setUpApp,
  stepPath,
} from '../support/second-factor/steps.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });

const codesPath = `${factorsPath}/recovery_codes`;
const countOf = (userId: string) => database.prisma.recoveryCode.count({ where: { userId } });

t.test('each code is valid once, in any notation, and is stored as a hash only', async (t) => {
  const { user } = await createScene(database);
  const { codes } = await setUpApp(api, user);
  t.equal(new Set(codes).size, 10);
  for (const code of codes) t.match(code, /^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/);
  const rows = await database.prisma.recoveryCode.findMany({ where: { userId: user.id } });
  const stored = rows.map(({ codeHash }) => Buffer.from(codeHash).toString('latin1')).join('\n');
  for (const code of codes) t.notOk(stored.includes(code) || stored.includes(code.replaceAll('-', '')));

  const spellings = [
    (code: string) => code,
    (code: string) => ` ${code.toUpperCase()} `,
    (code: string) => code.replaceAll('-', ''),
    (code: string) => code.replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l'),
  ];
  for (const [index, spell] of spellings.entries()) {
    const { browser, page } = await enterPassword(api, user);
    const code = spell(codes[index] ?? '');
    expectRedirect(t, await browser.submitForm(page, stepPath, { code }), '/people', code);
  }
  const { browser, page } = await enterPassword(api, user);
  const used = spellings.map((spell, index) => spell(codes[index] ?? ''));
  for (const code of [...used, '', '-', 'x'.repeat(60_000), '0000-0000-0000-0000', '\u0000']) {
    isPage(t, await browser.submitForm(page, stepPath, { code }), 401, code.slice(0, 20));
  }
});

t.test('one of several sessions that submit a code concurrently is signed in', async (t) => {
  const { user } = await createScene(database);
  const { codes } = await setUpApp(api, user);
  const steps = await Promise.all(Array.from({ length: 6 }, () => enterPassword(api, user)));
  const responses = await Promise.all(
    steps.map(({ browser, page }) => browser.submitForm(page, stepPath, { code: codes[0] ?? '' })),
  );
  t.equal(responses.filter(({ statusCode }) => statusCode === 303).length, 1);
  t.equal(responses.filter(({ statusCode }) => statusCode === 401).length, 5);
});

t.test('new codes replace the earlier ones, and removing the last factor deletes them', async (t) => {
  const { user } = await createScene(database);
  const { browser, codes } = await setUpApp(api, user);
  const replaced = await browser.submitForm(await browser.open(factorsPath), codesPath, {});
  isPage(t, replaced);
  const fresh = recoveryCodesOn(replaced);
  t.equal(fresh.length, 10);
  const { browser: other, page } = await enterPassword(api, user);
  isPage(t, await other.submitForm(page, stepPath, { code: codes[0] ?? '' }), 401);
  expectRedirect(t, await other.submitForm(page, stepPath, { code: fresh[0] ?? '' }), '/people');
  t.match((await other.open(factorsPath)).body, /You have 9 unused recovery codes/);
  expectRedirect(t, await browser.submitForm(replaced, `${appPath}/remove`, {}), /notice=app_removed$/);
  t.equal(await countOf(user.id), 0);
});

t.test('a code of another user does not work', async (t) => {
  const { user } = await createScene(database);
  const { user: other } = await createScene(database);
  const { codes } = await setUpApp(api, user);
  await setUpApp(api, other);
  const { browser, page } = await enterPassword(api, other);
  isPage(t, await browser.submitForm(page, stepPath, { code: codes[0] ?? '' }), 401);
});

t.test('the first factor shows new codes to a user who created codes before', async (t) => {
  const { user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const page = await browser.open(factorsPath);
  const early = recoveryCodesOn(await browser.submitForm(page, codesPath, {}));
  t.equal(early.length, 10);
  const { browser: complete, codes } = await setUpApp(api, user);
  t.equal(codes.length, 10);
  const again = await addPasskeyIn(complete);
  t.same(recoveryCodesOn(again), [''], 'the second factor keeps the codes');

  const waiting = await enterPassword(api, user);
  const sign = (code = '') => waiting.browser.submitForm(waiting.page, stepPath, { code });
  isPage(t, await sign(early[0]), 401);
  expectRedirect(t, await sign(codes[0]), '/people');
});
