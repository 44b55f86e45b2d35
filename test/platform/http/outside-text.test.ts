import {
  asciiDomain,
  foldText,
  isCanonicalDomain,
  isNormalized,
  normalizeNfc,
  parseUrl,
} from '../../../src/platform/contract/outside-text.js';
import { Browser } from '../../support/browser/browser.js';
import { startUpload } from '../../support/browser/import-pages.js';
import { createScene, signedInBrowser } from '../../support/oauth/users.js';
import { buildTestApp } from '../../support/server/app.js';
import { clientSecret } from '../../support/single-sign-on/fake-provider.js';
import { createSignOnScene, person, start } from '../../support/single-sign-on/scene.js';
import t from '../../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;

/** Marks that are not in canonical order. */
const marksOf = (count: number) => `${'\u0301'.repeat(count / 2)}${'\u0316'.repeat(count / 2)}`;
const marks = marksOf(8_000);
const profilePath = '/people/settings/account/profile';
const providerPath = '/people/settings/single_sign_on';

t.test('text that is too long is neither normalized nor parsed', async (t) => {
  // In quadratic time the test would not end.
  const endless = `a${marksOf(2_000_000)}`;
  t.equal(normalizeNfc(endless), endless);
  t.equal(isNormalized(endless), false);
  t.equal(foldText(endless, endless.length), '');
  t.equal(asciiDomain(`${endless}.example`), '');
  t.equal(isCanonicalDomain(`${endless}.example`), false);
  for (const url of [`https://${endless}.example`, `https://a.example/${endless}`, 'https://a\u0301.example'])
    t.equal(parseUrl(url), undefined);
});

t.test('metadata of an identity provider with other characters in a URL is rejected', async (t) => {
  const { idp, path, user } = await createSignOnScene(t, api);
  const owner = await signedInBrowser(api, user);
  const { metadata } = idp;
  const endpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'];
  const settings = await owner.open(providerPath);
  for (const [index, member] of ['issuer', ...endpoints].entries()) {
    const address = index % 2 === 0 ? `https://a${marks}.example` : `https://a.example/${marks}`;
    idp.metadata = { ...metadata, [member]: address };
    t.equal((await new Browser(api.app).open(path)).statusCode, 503, member);
    const form = { issuer: idp.issuer, client_id: 'people', client_secret: clientSecret };
    t.equal((await owner.submitForm(settings, providerPath, form)).statusCode, 400, member);
  }
});

t.test('the names of an identity provider are shortened', async (t) => {
  const scene = await createSignOnScene(t, api);
  for (const claim of ['given_name', 'family_name', 'name']) {
    const names = { given_name: undefined, family_name: undefined, [claim]: `A${marks}` };
    const started = await start(api, scene);
    const response = await started.return(person(`${claim}@${scene.domain}`, names));
    t.equal(response.statusCode, 303, claim);
  }
  const where = { email: `given_name@${scene.domain}` };
  const { givenName } = await database.prisma.user.findFirstOrThrow({ where });
  t.equal([...givenName].length, 100);
});

t.test('a file with long names of columns is read', async (t) => {
  const browser = await signedInBrowser(api, (await createScene(database)).user);
  for (const [name, file] of [
    ['a.csv', `first_name,${marks},b${marks}\nAda,1,2\n`],
    ['a.jsonl', `${JSON.stringify({ first_name: 'Ada', [marks]: 1, [`b${marks}`]: 2 })}\n`],
  ] as const) {
    const address = await startUpload(browser, file, { name });
    t.equal((await browser.open(address)).statusCode, 200, name);
  }
});

t.test('fields with too many characters are rejected', async (t) => {
  const browser = await signedInBrowser(api, (await createScene(database)).user);
  const profile = { given_name: 'Ada', family_name: 'Lovelace' };
  const provider = { issuer: 'https://id.example', client_id: 'people', client_secret: clientSecret };
  const anonymous = new Browser(api.app);
  const cases: [Browser, string, Record<string, string>][] = [
    [browser, profilePath, { ...profile, picture: `https://a${marks}.example/` }],
    [browser, profilePath, { ...profile, given_name: marks }],
    [browser, providerPath, { ...provider, issuer: `https://a${marks}.example` }],
    [browser, providerPath, { ...provider, client_id: marks }],
    [anonymous, '/sign_in', { email: `a@${marks}.example`, password: 'a password' }],
    [anonymous, `/sign_in?return_to=${encodeURIComponent(`/people${marks.slice(3_000, 5_000)}`)}`, {}],
  ];
  for (const [browser, path, form] of cases) {
    const action = path.split('?')[0] ?? path;
    const { statusCode } = await browser.submitForm(await browser.open(path), action, form);
    t.ok([400, 401].includes(statusCode), `${action}: ${statusCode}`);
  }
});
