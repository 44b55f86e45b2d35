import { mcpToken, sendMessage } from '../../support/mcp/call-tool.js';
import { listenForMcp } from '../../support/mcp/mcp-app.js';
import { createScene, signedInBrowser } from '../../support/oauth/users.js';
import { createTenant } from '../../support/records/tenant.js';
import { freePort } from '../../support/server/free-port.js';
import t, { type Test } from '../../support/tap.js';
import { type Check, checksOf, listScenarios, proxyWithToken } from './conformance-suite.js';

/** The revisions of the protocol for which the suite has scenarios of servers. */
const revisions = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

const noResources = 'the server has no resources';
const noPrompts = 'the server has no prompts';
const noQuestions = 'no tool asks the user or the model of the client';
const noNotifications = 'no tool sends notifications';
const noSessions = 'the server has no sessions';

/** Scenarios that pass, with the checks in them that do not apply and the reason. */
const passing: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'server-initialize': {},
  'server-stateless': {
    'sep-2575-server-rejects-undeclared-capability': noQuestions,
    'sep-2575-missing-capability-http-400': noQuestions,
    'sep-2575-http-server-no-independent-requests-on-stream': noQuestions,
    'sep-2575-server-no-log-without-loglevel': noNotifications,
  },
  ping: {},
  'tools-list': {},
  'server-sse-multiple-streams': { 'server-sse-multiple-streams-session': noSessions },
  'dns-rebinding-protection': {},
  caching: {
    'sep-2549-prompts-list-caching-hints': noPrompts,
    'sep-2549-resources-list-caching-hints': noResources,
    'sep-2549-resources-templates-list-caching-hints': noResources,
  },
  'http-header-validation': {},
  'input-required-result-unsupported-methods': {},
};

/** Scenarios that do not apply, by reason. Most call tools that only a server made for the suite has. */
const inapplicable: Readonly<Record<string, readonly string[]>> = {
  [noSessions]: ['server-session-lifecycle', 'server-sse-polling'],
  'the server has no log messages for clients': ['logging-set-level'],
  'the server has no completions': ['completion-complete'],
  'no tool has this result; results are JSON, as text and structured': [
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-error',
  ],
  [noNotifications]: ['tools-call-with-logging', 'tools-call-with-progress'],
  [noQuestions]: [
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'input-required-result-basic-elicitation',
    'input-required-result-basic-sampling',
    'input-required-result-basic-list-roots',
    'input-required-result-request-state',
    'input-required-result-multiple-input-requests',
    'input-required-result-multi-round',
    'input-required-result-missing-input-response',
    'input-required-result-non-tool-request',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
    'input-required-result-capability-check',
    'input-required-result-ignore-extra-params',
    'input-required-result-validate-input',
  ],
  'the scenario needs a tool with the schema of the suite': ['json-schema-2020-12'],
  'no argument of a tool is also a header': ['http-custom-header-server-validation'],
  [noResources]: [
    'resources-list',
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
    'resources-subscribe',
    'resources-unsubscribe',
    'sep-2164-resource-not-found',
  ],
  [noPrompts]: [
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
  ],
  'the server has no extensions': [
    'sep-2640-skills-directory',
    'sep-2640-skills-enumeration',
    'sep-2640-skills-manifest',
    'tasks-lifecycle',
    'tasks-capability-negotiation',
    'tasks-wire-fields',
    'tasks-request-state-removal',
    'tasks-mrtr-input',
    'tasks-request-headers',
    'tasks-dispatch-and-envelope',
    'tasks-status-notifications',
    'tasks-required-task-error',
    'tasks-mrtr-composition',
  ],
};

/** Scenarios of authorization servers, with the checks in them that do not apply and the reason. All pass. */
const authorization: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'authorization-server-metadata-endpoint': {},
  'authorization-code-grant': {},
};

// The suite connects to the proxy, which has the address of the server.
const { url: address, forward } = await proxyWithToken(t);
const api = await listenForMcp(t, { environment: { BASE_URL: address } });
const token = await mcpToken(api, (await createTenant(api.database)).application);
forward({ target: api.baseUrl, token });

const wireSchema = 'wire-schema-valid';

/** Fails for each check that neither passes nor is known not to apply. @returns whether a check of the scenario passed */
function expectPassed(t: Test, scenario: string, checks: readonly Check[], excepted: object): boolean {
  t.ok(checks.length > 0, scenario);
  for (const { id, status, errorMessage } of checks) {
    const failed = status === 'FAILURE' || status === 'WARNING';
    if (id in excepted) t.ok(failed, `${scenario}: ${id} is known not to apply`);
    else t.notOk(failed, `${scenario}: ${id} ${errorMessage ?? ''}`);
  }
  return checks.some(({ id, status }) => id !== wireSchema && status === 'SUCCESS');
}

t.test('each scenario of the suite passes, or is known not to apply', async (t) => {
  const known = [...Object.keys(passing), ...Object.values(inapplicable).flat()];
  t.same(known.sort(), [...(await listScenarios(t, 'server')).keys()].sort());
  t.same(Object.keys(authorization).sort(), [...(await listScenarios(t, 'authorization')).keys()].sort());
});

t.test('the server declares no feature whose scenarios do not apply', async (t) => {
  const revision = '2026-07-28';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const message = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: meta } };
  const headers = { 'mcp-protocol-version': revision, 'mcp-method': message.method };
  t.same((await sendMessage(api, token, message, headers)).json().result.capabilities, { tools: {} });
});

t.test('the scenarios of servers pass with each revision of the protocol', async (t) => {
  const scenarios = await listScenarios(t, 'server');
  const passed = new Set<string>();
  for (const revision of revisions) {
    const url = `${address}/mcp`;
    const results = await checksOf(t, ['server', '--url', url, '--suite', 'all', '--spec-version', revision]);
    t.ok(results.size > 0, revision);
    for (const [scenario, excepted] of Object.entries(passing)) {
      if (!scenarios.get(scenario)?.split(',').includes(revision)) continue;
      const checks = results.get(scenario) ?? [];
      if (expectPassed(t, `${revision} ${scenario}`, checks, excepted)) passed.add(scenario);
    }
    // Also in the other scenarios, each response has the schema of the revision.
    for (const [scenario, checks] of results) {
      const invalid = checks.filter(({ id, status }) => id === wireSchema && status !== 'SUCCESS');
      t.same(invalid, [], `${revision} ${scenario}`);
    }
  }
  t.same([...passed].sort(), Object.keys(passing).sort());
});

t.test('the scenarios of authorization servers pass, with a user who selects Allow', async (t) => {
  const callbackPort = await freePort();
  // The settings accept no such redirect URI: the scene stores the application in the database.
  const redirectUri = `http://127.0.0.1:${callbackPort}/callback`;
  const { user, application } = await createScene(api.database, { redirectUri });
  const browser = await signedInBrowser(api, user);
  const resource = `${address}/mcp`;
  const args = ['authorization', '--url', address, '--client-id', application.clientId];
  const seen: { request?: URL; listening?: boolean; decided?: boolean } = {};
  const results = await checksOf(
    t,
    [...args, '--resource', resource, '--port', String(callbackPort), '--spec-version', '2026-07-28'],
    async (line) => {
      if (line.startsWith(`${address}/`)) seen.request = new URL(line);
      if (line.startsWith('Callback server started')) seen.listening = true;
      if (seen.decided || seen.request === undefined || seen.listening !== true) return;
      seen.decided = true;
      await allow(seen.request);
    },
  );

  /** Opens the address that the suite prints, selects Allow, and follows the redirect to the suite. */
  async function allow({ pathname, searchParams }: URL): Promise<void> {
    const rejected = await browser.open(`${pathname}?${searchParams}`);
    t.equal(rejected.statusCode, 400);
    t.match(rejected.body, /scope is required/);
    // The suite requests no scope. Clients of the protocol request that of the challenge or of the metadata.
    searchParams.set('scope', 'reports:read');
    const request = `${pathname}?${searchParams}`;
    const response = await browser.submitForm(await browser.open(request), request, { decision: 'allow' });
    t.equal((await fetch(String(response.headers.location))).status, 200);
  }

  t.equal(seen.decided, true);
  for (const [scenario, excepted] of Object.entries(authorization)) {
    t.ok(expectPassed(t, scenario, results.get(scenario) ?? [], excepted), scenario);
  }
});
