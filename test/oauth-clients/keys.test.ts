import { exportJWK, generateKeyPair } from 'jose';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;
const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
const key = { ...(await exportJWK(publicKey)), kid: 'one' };
const withMember = (name: string, value: string) => JSON.stringify({ keys: [{ ...key, [name]: value }] });
const jwks = withMember('kid', 'one');

/** An owner on the page of keys of a confidential application. */
async function openKeys() {
  const scene = await createScene(database, { clientType: 'confidential' });
  const { id } = scene.application;
  const browser = await signedInBrowser(api, scene.user);
  const base = `/people/settings/oauth_applications/${id}`;
  const save = async (fields: Record<string, string>) =>
    browser.submitForm(await browser.open(`${base}/keys`), `${base}/keys`, {
      jwks: '',
      jwks_uri: '',
      ...fields,
    });
  const secrets = () => database.prisma.applicationSecret.count({ where: { applicationId: id } });
  const events = async () =>
    (
      await database.prisma.auditEvent.findMany({
        where: { accountId: scene.accountId, applicationId: id },
        orderBy: { createdAt: 'asc' },
      })
    ).map(({ type }) => type);
  return { ...scene, browser, base, save, secrets, events };
}

t.test('saved keys revoke the secrets, and a secret in their place removes the keys', async (t) => {
  const { browser, base, save, secrets, events, application } = await openKeys();
  const saved = await save({ jwks });
  t.equal(saved.statusCode, 303);
  t.equal(await secrets(), 0);
  const page = await browser.open(`${base}/credentials`);
  t.match(page.body, 'Use a client secret instead');
  t.notMatch(page.body, 'Create a secret</button>');
  const form = await browser.open(`${base}/keys/remove`);
  const created = await browser.submitForm(form, `${base}/keys/remove`, {});
  t.match(created.body, 'Copy the client secret now.');
  t.equal(await secrets(), 1);
  const { jwks: stored } = await database.prisma.application.findUniqueOrThrow({
    where: { clientId: application.clientId },
  });
  t.equal(stored, null);
  t.same((await events()).toSorted(), [
    'application.keys_changed',
    'application.keys_removed',
    'application.secret_created',
  ]);
});

t.test('rejects private keys, other text, and a URL that is not https, and keeps the secret', async (t) => {
  const { save, secrets, events } = await openKeys();
  for (const [fields, message] of [
    [{}, 'Enter either a key set or its URL.'],
    [{ jwks, jwks_uri: 'https://client.example/keys' }, 'Enter either a key set or its URL.'],
    [{ jwks: 'x' }, 'The key set must be JSON.'],
    [{ jwks: '{"keys":[]}' }, 'The key set must contain a valid key for signatures'],
    [{ jwks: withMember('kid', '\u0000') }, 'The key set must contain a valid key for signatures'],
    [{ jwks: withMember('x', '\u0000') }, 'The key set must contain a valid key for signatures'],
    [{ jwks: JSON.stringify({ keys: [await exportJWK(privateKey)] }) }, 'public keys only'],
    [{ jwks_uri: 'http://client.example/keys' }, 'must start with https://'],
    [{ jwks_uri: 'https://a:b@client.example/keys' }, 'neither a user name'],
  ] as const) {
    const response = await save(fields as Record<string, string>);
    t.equal(response.statusCode, 400);
    t.match(response.body, message);
  }
  t.equal(await secrets(), 1);
  t.same(await events(), []);
});
