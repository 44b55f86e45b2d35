import { hostileTexts, hostileValues } from '../../support/fuzz/hostile-values.js';
import { createRandom } from '../../support/input/random.js';
import { callTool, sendMessage } from '../../support/mcp/call-tool.js';
import { createScene, grantTokens } from '../../support/oauth/users.js';
import { buildTestApp } from '../../support/server/app.js';
import t from '../../support/tap.js';

/** A tool as clients see it. */
interface ListedTool {
  readonly name: string;
  readonly inputSchema: { readonly properties: Readonly<Record<string, object>> };
}

const calls = 3_000;
const inParallel = 20;

const api = await buildTestApp(t, {
  recorded: false,
  requestQueueLimits: { running: 1_000, waiting: 1_000 } as never,
});
const scene = await createScene(api.database);
const scope = 'reports:read reports:write user:read user:write';
const { accessToken } = await grantTokens(api, scene, { scope, resource: `${api.config.baseUrl}/mcp` });
const listed = await sendMessage(api, accessToken, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
const tools: ListedTool[] = listed.json().result.tools;
const random = createRandom(2026);

const members = [
  'title',
  'columns',
  'filters',
  'group_by',
  'sort',
  'given_name',
  'locale',
  'attribute',
  'value',
];
const words = ['active', 'department', '-last_name', 'last_name', '10', 'UTC', '2026-01-31', 'in', 'eq'];

function anyValue(depth = 0): unknown {
  const kind = random.weighted({
    text: 3,
    value: 3,
    word: 4,
    object: depth < 3 ? 2 : 0,
    array: depth < 3 ? 1 : 0,
  });
  if (kind === 'text') return random.pick(hostileTexts);
  if (kind === 'word') return random.pick(words);
  if (kind === 'value') return random.pick(hostileValues);
  if (kind === 'array') return Array.from({ length: random.upTo(4) }, () => anyValue(depth + 1));
  return Object.fromEntries(random.some(members, random.upTo(4)).map((name) => [name, anyValue(depth + 1)]));
}

function anyArguments({ inputSchema }: ListedTool): unknown {
  if (random.chance(0.02)) return random.pick(hostileValues);
  const names = Object.keys(inputSchema.properties).filter(() => random.chance(0.6));
  if (random.chance(0.05)) names.push(random.pick(hostileTexts));
  return Object.fromEntries(
    names.map((name) => {
      if (name === 'body' && random.chance(0.5)) return [name, { title: 'A report', ...anyBody() }];
      return [name, anyValue()];
    }),
  );
}

function anyBody(): object {
  return Object.fromEntries(random.some(members, random.upTo(3)).map((name) => [name, anyValue(1)]));
}

t.test(`${calls} generated tool calls get a result or an error of the client, and never a 5xx`, async (t) => {
  const outcomes: Record<string, number> = {};
  const faults: string[] = [];
  const callOnce = async (name: string, given: unknown) => {
    const response = await callTool(api, accessToken, name, given);
    const { result, error } = response.json();
    const status = result?.isError === true ? result.structuredContent.status : response.statusCode;
    const outcome = error === undefined ? String(status) : `${response.statusCode} ${error.code ?? ''}`;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (status >= 500 || response.statusCode >= 500 || error?.code === -32603) {
      faults.push(`${name} ${JSON.stringify(given)?.slice(0, 300)} ${response.body.slice(0, 300)}`);
    }
  };
  for (let done = 0; done < calls; done += inParallel) {
    const batch = Array.from({ length: inParallel }, () => {
      const tool = random.pick(tools);
      return [tool.name, anyArguments(tool)] as const;
    });
    await Promise.all(batch.map(([name, given]) => callOnce(name, given)));
  }
  t.comment(JSON.stringify(outcomes));
  t.same(faults.slice(0, 5), []);
  t.ok((outcomes['200'] ?? 0) > 200 && (outcomes['400'] ?? 0) > 2_000 && (outcomes['404'] ?? 0) > 200);
});
