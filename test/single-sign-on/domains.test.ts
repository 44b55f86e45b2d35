import { randomId } from '../../src/platform/database/ids.js';
import type { Browser } from '../support/browser/browser.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, createUser, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import { createFakeDns } from '../support/single-sign-on/fake-dns.js';
import { startFakeProvider } from '../support/single-sign-on/fake-provider.js';
import { configure, person, signedInUser, start } from '../support/single-sign-on/scene.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const { prisma } = database;
const dns = createFakeDns();
const { resolveTxt } = dns;
const api = await buildTestApp(t, { database, resolveTxt, environment: { RATE_LIMIT_FAILURES: '0' } });
const settings = '/people/settings/single_sign_on';
const path = `${settings}/domains`;

const confirm = async (browser: Browser, domain: string) =>
  browser.submitForm(await browser.open(path), path, { domain });

/** The value of the record that the page shows. */
const valueOn = (body: string) => /id="record_value" type="text" value="([^"]+)"/.exec(body)?.[1] ?? '';

async function createOwner() {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const value = valueOn((await browser.open(path)).body);
  const domain = `${randomId(10).toLowerCase()}.example`;
  return { ...scene, browser, value, domain, name: `_people-challenge.${domain}` };
}

t.test('an owner confirms a domain with a TXT record that has the random token of the account', async (t) => {
  const { accountId, browser, value, domain, name, user } = await createOwner();
  const other = await createOwner();
  t.match(value, /^people-verification=[0-9a-f]{32}$/);
  t.not(other.value, value);
  dns.records.set(name, [['v=spf1 -all'], [value.slice(0, 30), value.slice(30)]]);
  const confirmed = await confirm(browser, domain.toUpperCase());
  t.equal(confirmed.headers.location, `${settings}?notice=domain_confirmed`);
  t.match(await prisma.accountDomain.findFirstOrThrow({ where: { domain } }), {
    ...{ accountId, method: 'dns', failedDays: 0, confirmedAt: api.clock() },
    nextCheckAt: new Date(api.clock().getTime() + 86_400_000),
  });
  const event = await prisma.auditEvent.findFirstOrThrow({
    where: { accountId, type: 'account.domain_confirmed' },
  });
  t.match(event, { userId: user.id, details: { domain, method: 'dns' } });
  t.match((await browser.open(settings)).body, `<strong>${domain}</strong>, confirmed by DNS`);

  const { issuer, ...idp } = await startFakeProvider(t);
  await configure(api, accountId, issuer);
  const started = await start(api, { idp: { ...idp, issuer }, path: `/sign_in/sso/${accountId}` });
  await started.return(person(`grace@${domain}`));
  t.equal(await signedInUser(started.browser), `grace@${domain}`, 'new users become members');
});

t.test('only the record of the domain itself with the exact token confirms it', async (t) => {
  const { accountId, browser, value, domain, name } = await createOwner();
  const other = await createOwner();
  const token = value.slice(value.indexOf('=') + 1);
  const wrong = [other.value, token, ` ${value}`, value.toUpperCase(), `${value}x`, `<b>${value}`];
  dns.records.set(name, [[], ...wrong.map((text) => [text])]);
  for (const elsewhere of [domain, `_people-challenge.www.${domain}`, '_people-challenge.example'])
    dns.records.set(elsewhere, [[value]]);
  const before = dns.names.length;
  const response = await confirm(browser, domain);
  t.equal(response.statusCode, 400);
  t.match(response.body, `No TXT record with this value was found at ${name}.`);
  t.match(response.body, `value="${domain}"`);
  t.notMatch(response.body, /&lt;b>|<b>/, 'texts of the DNS are not shown');
  t.same(dns.names.slice(before), [name]);
  for (const code of ['ESERVFAIL', 'ETIMEOUT', 'ECANCELLED']) {
    dns.records.set(name, code);
    const unavailable = await confirm(browser, domain);
    t.equal(unavailable.statusCode, 503, code);
    t.match(unavailable.body, 'The name servers of the domain do not respond.');
  }
  t.equal(await prisma.accountDomain.count({ where: { accountId } }), 0);
});

t.test('public mail domains and invalid domains are rejected without a look-up', async (t) => {
  const { browser } = await createOwner();
  const before = dns.names.length;
  for (const domain of [
    'gmail.com',
    'GoogleMail.com',
    'outlook.de',
    'yahoo.co.uk',
    'icloud.com',
    'web.de',
    'qq.com',
  ])
    t.match(
      (await confirm(browser, domain)).body,
      'Anyone can get an e-mail address in this domain.',
      domain,
    );
  for (const domain of [
    '',
    'localhost',
    'a b.example',
    'grace@initech.example',
    '127.0.0.1',
    'initech.example.',
    '*.example',
  ]) {
    const response = await confirm(browser, domain);
    t.equal(response.statusCode, 400, domain);
    t.match(response.body, 'The domain must be a domain, such as example.com.', domain);
  }
  t.equal(dns.names.length, before);
});

t.test('a domain belongs to one account, which is said only to an account that has proved it', async (t) => {
  const first = await createOwner();
  const second = await createOwner();
  const { domain, name } = first;
  dns.records.set(name, [[first.value]]);
  t.equal((await confirm(first.browser, domain)).statusCode, 303);
  t.match((await confirm(second.browser, domain)).body, 'No TXT record');
  dns.records.set(name, [[first.value], [second.value]]);
  const taken = await confirm(second.browser, domain);
  t.equal(taken.statusCode, 409);
  t.match(taken.body, 'The domain is confirmed for another account.');
  t.match(await prisma.accountDomain.findFirstOrThrow({ where: { domain } }), { accountId: first.accountId });
  t.notMatch((await second.browser.open(settings)).body, domain);

  const remove = `${path}/${domain}/remove`;
  t.equal((await second.browser.open(remove)).statusCode, 303);
  await second.browser.submitForm(await second.browser.open(path), remove, {});
  t.equal(await prisma.accountDomain.count({ where: { domain } }), 1);
  const page = await first.browser.open(remove);
  const removed = await first.browser.submitForm(page, remove, {});
  t.equal(removed.headers.location, `${settings}?notice=domain_removed`);
  t.equal((await confirm(second.browser, domain)).statusCode, 303);
  const where = { accountId: first.accountId, type: 'account.domain_removed' };
  t.match(await prisma.auditEvent.findFirstOrThrow({ where }), {
    userId: first.user.id,
    details: { domain, method: 'dns' },
  });
});

t.test('a domain that the operator confirmed stays with the operator', async (t) => {
  const { accountId, browser, value, domain, name } = await createOwner();
  await prisma.accountDomain.create({ data: { domain, accountId } });
  dns.records.set(name, [[value]]);
  t.equal((await confirm(browser, domain)).statusCode, 303);
  await browser.submitForm(await browser.open(path), `${path}/${domain}/remove`, {});
  const stored = await prisma.accountDomain.findFirstOrThrow({ where: { domain } });
  t.match(stored, { accountId, method: 'operator', nextCheckAt: null });
  t.match((await browser.open(settings)).body, 'confirmed by the operator');
});

t.test('administrators and members cannot confirm or remove domains', async (t) => {
  const { accountId, value, domain, name, browser: owner } = await createOwner();
  dns.records.set(name, [[value]]);
  await confirm(owner, domain);
  for (const role of ['admin', 'member'] as const) {
    const browser = await signedInBrowser(api, await createUser(database, accountId, { role }));
    const form = await browser.open('/people/settings/account');
    t.equal((await browser.open(path)).statusCode, 403);
    for (const address of [path, `${path}/${domain}/remove`])
      t.equal((await browser.submitForm(form, address, { domain: `x.${domain}` })).statusCode, 403, address);
  }
  t.equal(await prisma.accountDomain.count({ where: { accountId } }), 1);
});

t.test(
  'an account confirms at most twenty domains, also concurrently, and failed attempts are limited',
  async (t) => {
    const { accountId, browser, value, domain } = await createOwner();
    const data = Array.from({ length: 19 }, (_, index) => {
      return { domain: `${index}.${domain}`, accountId, method: 'dns', nextCheckAt: new Date() };
    });
    await prisma.accountDomain.createMany({ data });
    const more = ['a', 'b', 'c'].map((label) => `${label}.${domain}`);
    for (const each of more) dns.records.set(`_people-challenge.${each}`, [[value]]);
    const responses = await Promise.all(more.map((each) => confirm(browser, each)));
    t.same(responses.map(({ statusCode }) => statusCode).toSorted(), [303, 400, 400]);
    t.match(responses.find(({ statusCode }) => statusCode === 400)?.body, 'at most 20 domains');
    t.equal(await prisma.accountDomain.count({ where: { accountId } }), 20);

    const limited = await buildTestApp(t, {
      database,
      resolveTxt,
      environment: { RATE_LIMIT_FAILURES: '2' },
    });
    const { user } = await createScene(database);
    const visitor = await signedInBrowser(limited, user);
    const before = dns.names.length;
    const statuses = [];
    for (const label of ['x', 'y', 'z'])
      statuses.push((await confirm(visitor, `${label}.${domain}`)).statusCode);
    t.same(statuses, [400, 400, 429]);
    t.equal(dns.names.length - before, 2);
  },
);
