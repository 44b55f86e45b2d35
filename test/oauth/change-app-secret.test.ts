import { resealSigningKeys } from '../../src/oauth/keys/signing-keys.js';
import { type AppSecrets, UnreadableSecretError } from '../../src/platform/crypto/keyring.js';
import { Browser, hiddenFields } from '../support/browser/browser.js';
import { openTestDatabase } from '../support/database/database.js';
import {
  authorizationRequest,
  createScene,
  type Scene,
  signedInBrowser,
  tokenAccepted,
} from '../support/oauth/users.js';
import { buildTestApp, type TestApp } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import t, { type Test } from '../support/tap.js';

const older = 'the older secret of the application';
const newer = 'the newer secret of the application';

const before: AppSecrets = { current: older };
/** Step 1: the new secret is accepted. */
const prepared: AppSecrets = { current: older, previous: newer };
/** Step 2: the new secret encrypts and signs. */
const changed: AppSecrets = { current: newer, previous: older };
/** Step 4: the old secret is no longer accepted. */
const after: AppSecrets = { current: newer };

/** Two servers on one database, which are restarted one after the other with other secrets. */
async function setUp(t: Test) {
  const database = await openTestDatabase(t);
  const clock = createTestClock();
  const environment = { RATE_LIMIT_FAILURES: '0' };
  const start = (appSecrets: AppSecrets) => buildTestApp(t, { database, clock, environment, appSecrets });
  return { database, clock, start, scene: await createScene(database, { clientType: 'confidential' }) };
}

/** The form of the consent page of one server. */
interface ShownForm {
  readonly cookies: ReadonlyMap<string, string>;
  readonly url: string;
  readonly fields: Record<string, string>;
}

async function showForm(api: TestApp, scene: Scene): Promise<ShownForm> {
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  return { cookies: browser.cookies, url, fields: hiddenFields((await browser.open(url)).body) };
}

/** The status of a server for the form. */
async function submit({ app }: TestApp, { cookies, url, fields }: ShownForm): Promise<number> {
  const browser = new Browser(app);
  for (const [name, value] of cookies) browser.setCookie(name, value);
  return (await browser.submit(url, { ...fields, decision: 'allow' })).statusCode;
}

/** Expects that both servers, which have different secrets or new keys, accept the tokens and forms of each. */
async function agree(t: Test, servers: readonly [TestApp, TestApp], scene: Scene): Promise<void> {
  for (const one of servers) {
    const token = await one.token(scene.application);
    const form = await showForm(one, scene);
    for (const other of servers) {
      await tokenAccepted(t, other, token);
      t.equal(await submit(other, form), 303, 'a form');
    }
  }
}

t.test('the documented steps change APP_SECRET without a rejected token or form', async (t) => {
  const { database, clock, start, scene } = await setUp(t);
  let one = await start(before);
  let other = await start(before);
  const early = await one.token(scene.application);

  for (const [step, secrets] of [
    ['step 1', prepared],
    ['step 2', changed],
  ] as const) {
    const forms = [await showForm(one, scene), await showForm(other, scene)];
    one = await start(secrets);
    await one.signingKeys.rotate({ tokenTtlSeconds: 3600 });
    await agree(t, [one, other], scene);
    other = await start(secrets);
    for (const form of forms) {
      for (const server of [one, other])
        t.equal(await submit(server, form), 303, `a form from before ${step}`);
    }
  }

  t.ok((await resealSigningKeys(database, changed, clock())) > 0, 'step 3');
  await agree(t, [one, other], scene);
  await Promise.all([one, other].map(({ signingKeys }) => signingKeys.reload()));

  const forms = [await showForm(one, scene), await showForm(other, scene)];
  one = await start(after);
  await agree(t, [one, other], scene);
  other = await start(after);
  await tokenAccepted(t, one, await other.token(scene.application));
  for (const form of forms) t.equal(await submit(one, form), 303, 'a form from before step 4');
  await tokenAccepted(t, other, early);
});

t.test('a server without the new secret rejects forms that it signed: step 1 comes first', async (t) => {
  const { start, scene } = await setUp(t);
  const [old, fresh] = [await start(before), await start(changed)];
  t.equal(await submit(fresh, await showForm(old, scene)), 303);
  t.equal(await submit(old, await showForm(fresh, scene)), 403);
});

t.test('a server without the old secret rejects forms that it signed, and keys before step 3', async (t) => {
  const { database, clock, start, scene } = await setUp(t);
  const old = await start(before);
  const form = await showForm(old, scene);
  await t.rejects(start(after), UnreadableSecretError);
  await resealSigningKeys(database, changed, clock());
  t.equal(await submit(await start(after), form), 403);
});
