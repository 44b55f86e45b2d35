import { randomId } from '../../../src/platform/database/ids.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { createTestDatabase, testServer } from '../../support/database/database.js';
import { startServerProcess } from '../../support/processes/server-process.js';
import { createTenant, type TestApplication } from '../../support/records/tenant.js';
import t, { type Test } from '../../support/tap.js';

const onPostgresql = { skip: testServer === undefined && 'the embedded database serves one process' };

const limit = 9;

t.test('two processes on one database share its limits', onPostgresql, async (t) => {
  const { servers, createClient } = await setUp(t);

  t.test('several processes allow an application as many calls as one process', async (t) => {
    const application = await createClient();
    const tokens = await Promise.all(servers.map((url) => getToken(url, application)));
    const responses = await inTurn(servers, (url) => listEmployees(url, tokens[0]));
    t.same(statuses(responses), firstThen(200, 429));
    t.same(
      responses.slice(0, limit).map(({ headers }) => /;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]),
      Array.from({ length: limit }, (_, index) => String(limit - 1 - index)),
      'each accepts the tokens of the other',
    );
    for (const { headers } of responses.slice(limit)) t.match(headers.get('retry-after'), /^[1-9]\d*$/);
    for (const url of servers) {
      t.equal((await listEmployees(url, tokens[1])).status, 429, 'with any token');
    }
  });

  t.test('several processes allow no more concurrent calls than one process', async (t) => {
    const token = await getToken(servers[0], await createClient());
    const requests = Array.from({ length: 20 }, () => servers.map((url) => listEmployees(url, token)));
    const responses = statuses(await Promise.all(requests.flat()));
    t.equal(responses.filter((status) => status === 200).length, limit);
    t.equal(responses.filter((status) => status === 429).length, responses.length - limit);
  });

  t.test('several processes check as many wrong secrets as one process', async (t) => {
    const application = await createClient();
    const wrong = () => ({ ...application, clientSecret: randomId(52) });
    const responses = await inTurn(servers, (url) => requestToken(url, wrong()));
    t.same(statuses(responses), firstThen(401, 429));
    for (const { headers } of responses.slice(limit)) t.match(headers.get('retry-after'), /^[1-9]\d*$/);
    for (const url of servers) {
      t.equal((await requestToken(url, application)).status, 200, 'the right secret is still accepted');
    }
  });
});

/** URLs of two server processes. */
async function setUp(t: Test) {
  const options = await createTestDatabase(t);
  const database = await openDatabase(options);
  t.teardown(() => database.close());
  const environment = { RATE_LIMIT_API: String(limit), RATE_LIMIT_FAILURES: String(limit) };
  const start = () => startServerProcess(t, { databaseUrl: options.databaseUrl ?? '', environment });
  const [first, second] = await Promise.all([start(), start()]);
  const createClient = async () => (await createTenant(database)).application;
  return { servers: [first.url, second.url] as const, createClient };
}

function requestToken(url: string, { clientId, clientSecret }: TestApplication): Promise<Response> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  return fetch(`${url}/v1/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
}

async function getToken(url: string, application: TestApplication): Promise<string> {
  const response = await requestToken(url, application);
  return ((await response.json()) as { access_token: string }).access_token;
}

function listEmployees(url: string, token = ''): Promise<Response> {
  return fetch(`${url}/v1/employees`, { headers: { authorization: `Bearer ${token}` } });
}

/** Sends requests to the servers in turn, one after the other, and some more than the limit. */
async function inTurn([first, second]: readonly [string, string], ask: (url: string) => Promise<Response>) {
  const responses: Response[] = [];
  while (responses.length < limit + 5) responses.push(await ask(responses.length % 2 === 0 ? first : second));
  return responses;
}

const statuses = (responses: readonly Response[]) => responses.map(({ status }) => status);

/** The expected result of {@link inTurn}: as many of the first status as the limit allows, then the second one. */
const firstThen = (granted: number, refused: number) =>
  Array.from({ length: limit + 5 }, (_, index) => (index < limit ? granted : refused));
