import { type Sample, samplesOf } from '../../../scripts/docs/samples/samples.js';
import { demoAccounts } from '../../../src/features/demo-data/accounts.js';
import type { OperationId } from '../../../src/platform/contract/contract.js';
import { grantTokens } from '../../support/oauth/users.js';
import { run, skipWithout } from '../../support/processes/command.js';
import { type Programs, preparePrograms, skipLanguage } from '../../support/samples/programs.js';
import { contract } from '../../support/server/app.js';
import { createDemoEndpoint, type Exchange, startDemoServer } from '../../support/server/demo-server.js';
import t, { type Test } from '../../support/tap.js';

type Label = Sample['label'];

const userAgents: Readonly<Record<Label, RegExp>> = {
  curl: /^curl/,
  JavaScript: /^node/,
  Python: /^Python/,
  Ruby: /^Ruby/,
  Java: /^Java/,
  Go: /^Go/,
};
const labels = Object.keys(userAgents) as Label[];
const operations = [...contract.operations.values()];
const server = await startDemoServer(t);
const { api, baseUrl, backend } = server;
const samples = new Map(operations.map((operation) => [operation.id, samplesOf(contract, operation)]));

t.test('every operation has a sample in each language', async (t) => {
  for (const [id, written] of samples) {
    t.same(
      written.map(({ label }) => label),
      labels,
      id,
    );
    t.same(
      written.map(({ language }) => language),
      ['sh', 'js', 'python', 'ruby', 'java', 'go'],
    );
  }
});

t.test('the only secret in samples is that of the demo application', async (t) => {
  const secrets = secretsIn(contract.document).filter((secret) => secret !== backend.clientSecret);
  t.ok(secrets.length > 5);
  for (const [id, written] of samples) {
    for (const { label, source } of written) {
      t.same(
        secrets.filter((secret) => source.includes(secret)),
        [],
        `${id}, ${label}`,
      );
    }
  }
});

const programs = new Map<Label, Programs>();

for (const label of labels) {
  t.test(`the samples in ${label} compile`, { skip: skipLanguage(label) }, async () => {
    const sources = new Map([...samples].map(([id, written]) => [id, sourceIn(written, label)]));
    programs.set(label, await preparePrograms(t, label, sources));
  });
}

const account = { accountId: demoAccounts[0]?.id ?? '' };
const report = await api.database.prisma.report.findFirstOrThrow({ where: account });
/** What samples read from their environment. The records exist. */
const variables = {
  TOKEN: await api.token(backend),
  EMPLOYEE_ID: 'acmedemo00000000',
  EVENT_ID: 'evt_demoacme_00000001',
  REPORT_ID: report.id,
  WEBHOOK_ENDPOINT_ID: 'demo',
};
const variablesOfUser = { ...variables, TOKEN: await userToken() };
const ofNoRecord = { ...variables, EMPLOYEE_ID: 'unknown', REPORT_ID: 'unknown' };

for (const id of ['getEmployee', 'exportReport', 'runReport'] as const) {
  t.test(`the samples of ${id} fail with the detail of the problem`, async (t) => {
    for (const [label, program] of programs) {
      const { code, stdout, stderr } = await program.run(id, ofNoRecord);
      t.not(code, 0, label);
      t.match(`${stdout}${stderr}`, 'No record with this id exists in your account.', label);
    }
  });
}

// The token is revoked last.
const inOrder = operations.toSorted(
  (a, b) => Number(a.id === 'revokeToken') - Number(b.id === 'revokeToken'),
);

for (const { id } of inOrder) {
  t.test(`the samples of ${id} send what they show`, async (t) => {
    if (!id.startsWith('delete')) {
      await Promise.all([...programs.keys()].map((label) => tryOut(t, id, label)));
      return;
    }
    for (const label of programs.keys()) {
      await tryOut(t, id, label);
      await createDemoEndpoint(api, backend.id);
      await api.database.prisma.report.createMany({ data: report as never, skipDuplicates: true });
    }
  });
}

t.test('a sample in Java is a program in a single file', { skip: skipLanguage('Java') }, async (t) => {
  const { code, stdout } = await run('java', [programs.get('Java')?.file('authorize') ?? '']);
  t.equal(code, 0);
  t.match(stdout, `${baseUrl}/v1/oauth/authorize?response_type=code&`);
});

t.test(
  'samples in Go are formatted by gofmt',
  { skip: skipWithout('gofmt', ['-l', '/dev/null']) },
  async (t) => {
    const files = operations.map(({ id }) => programs.get('Go')?.file(id) ?? '');
    t.same(await run('gofmt', ['-l', ...files]), { code: 0, stdout: '', stderr: '' });
  },
);

/** Runs a sample, and checks what it sends and prints. */
async function tryOut(t: Test, id: OperationId, label: Label): Promise<void> {
  const before = server.exchanges.length;
  const result = await programs
    .get(label)
    ?.run(id, /(CurrentUser|UserInfo)$/.test(id) ? variablesOfUser : variables);
  const { code, stdout, stderr } = result ?? { code: null, stdout: '', stderr: '' };
  t.equal(code, 0, `${label} exits with 0: ${stderr}`);
  t.equal(stderr, '', `${label} has no warnings`);
  t.match(stdout, /\S/, `${label} prints something`);
  t.notMatch(stdout, /undefined|\[object/, label);
  if (id === 'authorize' || id === 'getLogout') {
    const [address = ''] = /http:\S+/.exec(stdout) ?? [];
    const firstRedirect =
      id === 'authorize' ? `${baseUrl}/sign_in` : 'http://localhost:8080/signed-out?state=';
    if (label === 'curl') t.match(address, firstRedirect);
    else t.equal((await fetch(address, { redirect: 'manual' })).status, 302, `${label} prints a valid URL`);
    return;
  }
  const sent = server.exchanges.slice(before).filter(({ userAgent }) => userAgents[label].test(userAgent));
  t.not(sent.length, 0, `${label} reaches the server`);
  for (const exchange of sent) t.same(faultsOf(exchange, id), [], `${label}: ${exchange.url}`);
}

async function userToken(): Promise<string> {
  const owner = await api.database.prisma.user.findFirstOrThrow({ where: { email: 'owner@acme.example' } });
  const application = await api.database.prisma.application.findFirstOrThrow({
    where: { clientId: 'demospa' },
  });
  const scopes = [...application.scopes, 'openid'];
  await api.database.prisma.application.updateMany({ where: { id: application.id }, data: { scopes } });
  const tokens = await grantTokens(
    api,
    {
      accountId: owner.accountId as never,
      user: { id: owner.id, accountId: owner.accountId as never, email: owner.email, password: '' },
      application: { id: application.id, clientId: application.clientId, clientSecret: '' },
      redirectUri: 'http://localhost:8080/callback',
    },
    { scope: 'openid reports:write user:read user:write' },
  );
  return tokens.accessToken;
}

function faultsOf({ method, url, status }: Exchange, id: OperationId): string[] {
  const reached = api.conformance.operationOf({ method, url })?.id;
  const good = contract.operations.get(id)?.responses.has(status) && status < 400;
  return [...(reached === id ? [] : [`reached ${reached}`]), ...(good ? [] : [`status ${status}`])];
}

function sourceIn(written: readonly Sample[], label: Label): string {
  const source = written.find((sample) => sample.label === label)?.source ?? '';
  return source.replaceAll(contract.document.servers[0].url, baseUrl);
}

/** Tokens, codes and secrets in the examples. */
function secretsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) =>
    typeof value === 'string' && /^(client_secret|secret|(access_|refresh_)?token|code_verifier)$/.test(name)
      ? [value]
      : secretsIn(value),
  );
}
