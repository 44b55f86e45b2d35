import { hiddenFields } from '../support/browser/browser.js';
import { applicationsPath, createThroughPage, expectRedirect, formOn } from '../support/browser/pages.js';
import {
  createScene,
  expectOAuthError,
  grantCode,
  refresh,
  type Scene,
  signedInBrowser,
  tokensOf,
} from '../support/oauth/users.js';
import { createApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;

async function confidentialScene(requireClientSecret: boolean): Promise<Scene> {
  const scene = await createScene(database, { clientType: 'confidential' });
  await setRequirement(scene, requireClientSecret);
  return scene;
}

function setRequirement({ application }: Scene, requireClientSecret: boolean) {
  return database.prisma.application.updateMany({
    where: { id: application.id },
    data: { requireClientSecret },
  });
}

const settingOf = async (id: string) =>
  (await database.prisma.application.findFirstOrThrow({ where: { id } })).requireClientSecret;

t.test('with the setting off, codes and refresh tokens are accepted without the secret', async (t) => {
  const scene = await confidentialScene(false);
  const { form } = await grantCode(api, scene);
  const { refreshToken } = tokensOf(await api.postForm('/v1/oauth/token', form));
  t.equal((await refresh(api, scene.application, refreshToken)).statusCode, 200);
});

t.test('with the setting on, a code without the secret is 401 invalid_client and stays usable', async (t) => {
  const scene = await confidentialScene(true);
  const { clientId, clientSecret } = scene.application;
  const { form } = await grantCode(api, scene);
  for (const secretless of [form, { ...form, client_secret: '' }]) {
    const response = await api.postForm('/v1/oauth/token', secretless);
    expectOAuthError(t, response, 'invalid_client');
    t.notOk('www-authenticate' in response.headers);
  }
  expectOAuthError(
    t,
    await api.postForm('/v1/oauth/token', { ...form, client_secret: 'x' }),
    'invalid_client',
  );
  const withoutPassword = `Basic ${Buffer.from(`${clientId}:`).toString('base64')}`;
  const basic = await api.postForm('/v1/oauth/token', form, { authorization: withoutPassword });
  expectOAuthError(t, basic, 'invalid_client');
  t.match(basic.headers['www-authenticate'], /^Basic /);
  const complete = await api.postForm('/v1/oauth/token', { ...form, client_secret: clientSecret });
  t.equal(complete.statusCode, 200, complete.body);
});

t.test(
  'with the setting on, a refresh without the secret is 401 invalid_client and rotates nothing',
  async (t) => {
    const scene = await confidentialScene(true);
    const { clientSecret } = scene.application;
    const { form } = await grantCode(api, scene);
    const issued = await api.postForm('/v1/oauth/token', { ...form, client_secret: clientSecret });
    const { refreshToken } = tokensOf(issued);
    expectOAuthError(t, await refresh(api, scene.application, refreshToken), 'invalid_client');
    const rotated = await refresh(api, scene.application, refreshToken, { client_secret: clientSecret });
    t.equal(rotated.statusCode, 200, 'the token was not consumed');
  },
);

t.test('client credentials without the secret stay 400 invalid_request, whatever the setting', async (t) => {
  for (const required of [true, false]) {
    const { application } = await confidentialScene(required);
    const response = await api.postForm('/v1/oauth/token', {
      grant_type: 'client_credentials',
      client_id: application.clientId,
    });
    expectOAuthError(t, response, 'invalid_request', { parameter: 'client_secret' });
  }
});

t.test('a change of the setting applies to the next request', async (t) => {
  const scene = await confidentialScene(false);
  const { form } = await grantCode(api, scene);
  const { refreshToken } = tokensOf(await api.postForm('/v1/oauth/token', form));
  await setRequirement(scene, true);
  expectOAuthError(t, await refresh(api, scene.application, refreshToken), 'invalid_client');
  await setRequirement(scene, false);
  t.equal((await refresh(api, scene.application, refreshToken)).statusCode, 200);
});

t.test(
  'the form of a new application has the setting on, and stores it for confidential ones only',
  async (t) => {
    const scene = await createScene(database);
    const browser = await signedInBrowser(api, scene.user);
    const page = await browser.open(`${applicationsPath}/new`);
    t.match(page.body, /<input[^>]*name="require_client_secret"[^>]*checked/);
    const required = [['require_client_secret', 'yes']];
    await createThroughPage(browser, { name: 'On' }, required);
    await createThroughPage(browser, { name: 'Off' });
    await createThroughPage(browser, { name: 'Public', client_type: 'public' }, required);
    const stored = await database.prisma.application.findMany({ where: { accountId: scene.accountId } });
    const settings = Object.fromEntries(
      stored.map(({ name, requireClientSecret }) => [name, requireClientSecret]),
    );
    t.match(settings, { On: true, Off: false, Public: false });
    const events = await database.prisma.auditEvent.findMany({
      where: { accountId: scene.accountId, type: 'application.created' },
    });
    t.same(
      Object.fromEntries(
        events.map(({ details }) => [
          Reflect.get(Object(details), 'name'),
          Reflect.get(Object(details), 'require_client_secret'),
        ]),
      ),
      { On: 'yes', Off: 'no', Public: undefined },
    );
  },
);

t.test('the setting is changed by its form, shown on the page, and audited', async (t) => {
  const scene = await confidentialScene(false);
  const { id } = scene.application;
  const address = `${applicationsPath}/${id}`;
  const browser = await signedInBrowser(api, scene.user);
  t.match((await browser.open(`${address}/credentials`)).body, 'Optional in requests');
  const edit = await browser.open(`${address}/edit`);
  t.notMatch(edit.body, /<input[^>]*name="require_client_secret"[^>]*checked/);
  const form = formOn(edit, { redirect_uris: [scene.redirectUri] });
  expectRedirect(
    t,
    await browser.submit(`${address}/edit`, [...form, ['require_client_secret', 'yes']]),
    /notice/,
  );
  t.equal(await settingOf(id), true);
  t.match((await browser.open(`${address}/credentials`)).body, 'Required for every token request');
  const event = await database.prisma.auditEvent.findFirst({
    where: { accountId: scene.accountId, type: 'application.updated' },
  });
  t.match(event?.details, { require_client_secret: 'no → yes' });
  const late = await browser.submit(`${address}/edit`, form);
  expectRedirect(t, late, /notice/);
  t.equal(await settingOf(id), true, 'a form that was opened before the change does not revert it');
});

t.test('the form of a public application omits the setting', async (t) => {
  const scene = await createScene(database);
  const { id } = await createApplication(database, scene.accountId, { clientType: 'public' });
  const browser = await signedInBrowser(api, scene.user);
  const edit = await browser.open(`${applicationsPath}/${id}/edit`);
  t.notMatch(edit.body, 'require_client_secret');
  t.ok('opened_name' in hiddenFields(edit.body));
});
