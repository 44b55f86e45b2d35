import { Browser } from '../../support/browser/browser.js';
import { startUpload } from '../../support/browser/import-pages.js';
import { createScene, signedInBrowser } from '../../support/oauth/users.js';
import { buildTestApp } from '../../support/server/app.js';
import { clientSecret } from '../../support/single-sign-on/fake-provider.js';
import { createSignOnScene, person, start } from '../../support/single-sign-on/scene.js';
import t, { type Test } from '../../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;

/** Marks that are not in canonical order. */
const marks = `${'\u0301'.repeat(4_000)}${'\u0316'.repeat(4_000)}`;
const profilePath = '/people/settings/account/profile';
const providerPath = '/people/settings/single_sign_on';

/** Records the longest text, except ASCII, that is normalized or parsed as a URL from now on. */
function recordUnicode(t: Test): { longest: number } {
  const recorded = { longest: 0 };
  const record = (text: unknown) => {
    if (/[^\0-\x7f]/.test(String(text))) recorded.longest = Math.max(recorded.longest, String(text).length);
  };
  const { normalize } = String.prototype;
  const { URL: Original } = globalThis;
  t.teardown(() => {
    String.prototype.normalize = normalize;
    globalThis.URL = Original;
  });
  String.prototype.normalize = function (this: string, form?: string) {
    record(this);
    return normalize.call(this, form);
  };
  globalThis.URL = class extends Original {
    constructor(url: string | URL, base?: string | URL) {
      record(url);
      super(url, base);
    }
    static override canParse(url: string | URL, base?: string | URL) {
      record(url);
      return Original.canParse(url, base);
    }
  };
  return recorded;
}

/** Most characters of a field that are normalized. */
const maximum = 3_072;

t.test('the metadata of an identity provider is checked before its URLs are parsed', async (t) => {
  const { idp, path, user } = await createSignOnScene(t, api);
  const owner = await signedInBrowser(api, user);
  const { metadata } = idp;
  for (const member of [
    'issuer',
    'authorization_endpoint',
    'token_endpoint',
    'jwks_uri',
    'userinfo_endpoint',
  ]) {
    for (const address of [`https://a${marks}.example`, `https://a.example/${marks}`]) {
      idp.metadata = { ...metadata, [member]: address };
      const recorded = recordUnicode(t);
      t.equal((await new Browser(api.app).open(path)).statusCode, 503, member);
      const form = { issuer: idp.issuer, client_id: 'people', client_secret: clientSecret };
      const saved = await owner.submitForm(await owner.open(providerPath), providerPath, form);
      t.equal(saved.statusCode, 400, member);
      t.equal(recorded.longest, 0, member);
    }
  }
});

t.test('the names of an identity provider are shortened before they are normalized', async (t) => {
  const scene = await createSignOnScene(t, api);
  for (const claim of ['given_name', 'family_name', 'name']) {
    const names = { given_name: undefined, family_name: undefined, [claim]: `A${marks}` };
    const started = await start(api, scene);
    const recorded = recordUnicode(t);
    const response = await started.return(person(`${claim}@${scene.domain}`, names));
    t.equal(response.statusCode, 303, claim);
    t.ok(recorded.longest <= 200, `${claim}: ${recorded.longest} characters`);
  }
  const { givenName } = await database.prisma.user.findFirstOrThrow({
    where: { email: `given_name@${scene.domain}` },
  });
  t.equal([...givenName].length, 100);
});

t.test('long names of columns are not compared', async (t) => {
  const browser = await signedInBrowser(api, (await createScene(database)).user);
  for (const [name, file] of [
    ['a.csv', `first_name,${marks},b${marks}\nAda,1,2\n`],
    ['a.jsonl', `${JSON.stringify({ first_name: 'Ada', [marks]: 1, [`b${marks}`]: 2 })}\n`],
  ] as const) {
    const recorded = recordUnicode(t);
    const address = await startUpload(browser, file, { name });
    t.equal((await browser.open(address)).statusCode, 200, name);
    t.ok(recorded.longest <= maximum, `${name}: ${recorded.longest} characters`);
  }
});

t.test('fields are checked for their length before they are normalized or parsed', async (t) => {
  const { user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
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
    const page = await browser.open(path);
    const recorded = recordUnicode(t);
    const action = path.split('?')[0] ?? path;
    const { statusCode } = await browser.submitForm(page, action, form);
    t.ok([400, 401].includes(statusCode), `${action}: ${statusCode}`);
    t.ok(recorded.longest <= maximum, `${action}: ${recorded.longest} characters`);
  }
});
