import type { OperationId } from '../../src/contract/contract.js';
import { grantTokens } from '../support/oauth/users.js';
import { run, skipWithout } from '../support/processes/command.js';
import { contract } from '../support/server/app.js';
import { createDemoEndpoint, type Exchange, startDemoServer } from '../support/server/demo-server.js';
import t, { type Test } from '../support/tap.js';

interface Sample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly 'x-codeSamples'?: readonly Sample[];
}

const languages = {
  curl: { program: 'bash', args: ['-euc'], userAgent: /^curl/ },
  JavaScript: { program: process.execPath, args: ['--input-type=module', '--eval'], userAgent: /^node/ },
  Python: { program: 'python3', args: ['-c'], userAgent: /^Python/ },
} as const;

const skip = skipWithout('bash') || skipWithout('curl') || skipWithout('python3');
const written = contract.document.servers[0].url;
const server = await startDemoServer(t);
const { api, baseUrl, backend } = server;

for (const operation of contract.operations.values()) {
  const raw = contract.document.paths[operation.path]?.[operation.method.toLowerCase()];
  const samples = (raw as DocumentedOperation)['x-codeSamples'] ?? [];

  t.test(`${operation.id} has a sample in each language`, async (t) => {
    t.same(
      samples.map(({ label }) => label),
      Object.keys(languages),
    );
  });

  t.test(`the samples of ${operation.id} send what they show`, { skip }, async (t) => {
    // Only one of them finds the endpoint.
    if (operation.id === 'deleteWebhookEndpoint') {
      for (const sample of samples) await tryOut(t, operation.id, sample);
    } else await Promise.all(samples.map((sample) => tryOut(t, operation.id, sample)));
  });
}

async function tryOut(t: Test, id: OperationId, { label, source }: Sample): Promise<void> {
  await createDemoEndpoint(api, backend.id);
  const { program, args, userAgent } = languages[label as keyof typeof languages];
  const before = server.exchanges.length;
  const env = { ...process.env, ...(await variablesFor(id)) };
  const { code, stdout, stderr } = await run(program, [...args, source.replaceAll(written, baseUrl)], {
    env,
  });
  t.equal(code, 0, `${label} ends well: ${stderr}`);
  t.equal(stderr, '', `${label} warns of nothing`);
  t.match(stdout, /\S/, `${label} prints something`);
  t.notMatch(stdout, /undefined|\[object/, label);
  if (id === 'authorize') {
    const [address = ''] = /http:\S+/.exec(stdout) ?? [];
    if (label === 'curl') t.match(address, `${baseUrl}/sign_in`);
    else
      t.equal((await fetch(address, { redirect: 'manual' })).status, 302, `${label} prints a good address`);
    return;
  }
  const sent = server.exchanges.slice(before).filter((exchange) => userAgent.test(exchange.userAgent));
  t.not(sent.length, 0, `${label} reaches the server`);
  for (const exchange of sent) t.same(faultsOf(exchange, id), [], `${label}: ${exchange.url}`);
}

/** What a sample reads from its environment. */
async function variablesFor(id: OperationId): Promise<Record<string, string>> {
  const token = id.endsWith('CurrentUser') ? await userToken() : await api.token(backend);
  return {
    TOKEN: token,
    STATE: 'af0ifjsldkj',
    CODE_CHALLENGE: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    REPORT_ID: await createReport(token),
  };
}

async function userToken(): Promise<string> {
  const owner = await api.database.prisma.user.findFirstOrThrow({ where: { email: 'owner@acme.example' } });
  const tokens = await grantTokens(
    api,
    {
      accountId: owner.accountId as never,
      user: { id: owner.id, accountId: owner.accountId as never, email: owner.email, password: '' },
      application: { id: '', clientId: 'demospa', clientSecret: '' },
      redirectUri: 'http://localhost:8080/callback',
    },
    { scope: 'reports:write user:read user:write' },
  );
  return tokens.accessToken;
}

async function createReport(token: string): Promise<string> {
  const response = await api.app.inject({
    method: 'POST',
    url: '/v1/reports',
    headers: { authorization: `Bearer ${token}` },
    payload: { title: 'To be changed or deleted' },
  });
  return response.json().data.id;
}

function faultsOf({ method, url, status }: Exchange, id: OperationId): string[] {
  const reached = api.conformance.operationOf({ method, url })?.id;
  const good = contract.operations.get(id)?.responses.has(status) && status < 400;
  return [...(reached === id ? [] : [`reached ${reached}`]), ...(good ? [] : [`status ${status}`])];
}
