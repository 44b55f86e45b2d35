import { baseUrl } from '../../bench/root.mjs';
import { Client } from '../client/client.mjs';
import { createRandom } from '../random.mjs';
import { startServer } from '../world/server.mjs';
import { ask, withWorld } from '../world/world.mjs';
import { loadConformance, readOperations } from './contract.mjs';
import { generate } from './generate.mjs';
import { prepare, seeds } from './prepare.mjs';
import { exchangeRaw, rawRequest } from './raw.mjs';
import { hashUntouched } from './untouched.mjs';

/** Requests that are on their way at the same time. */
const concurrency = 8;

/** Part of the requests whose bytes are no longer HTTP. */
const rawPart = 0.05;

/** Random requests for every operation, and what the contract says about their answers. */
export function trial({ requests, seed, verdict }) {
  return withWorld({ name: 'fuzz', accounts: 2, employees: 60 }, async ({ url, accounts }) => {
    const conformance = await loadConformance(`${baseUrl}/errors`);
    const server = await startServer(url);
    const client = new Client(server.port);
    try {
      const state = await prepare({ url, accounts, client });
      const mine = { userId: accounts[0].owner.id, accountId: accounts[0].accountId, seeds };
      const before = await hashUntouched(url, mine);
      const scene = { ...readOperations(), state, seed };
      await sendAll({ scene, requests, seed, client, server, conformance, verdict });
      await checkDatabase({ url, mine, before, state, verdict });
      const { status } = await client.send({ path: '/readyz' });
      verdict.bar('the server is alive and ready', server.alive() && status === 200);
    } finally {
      client.close();
      await server.stop();
    }
  });
}

async function sendAll({ scene, requests, seed, client, server, conformance, verdict }) {
  const statuses = {};
  let sent = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (sent < requests) {
        const number = sent++;
        const random = createRandom(seed * 17 + number);
        const status = random.chance(rawPart)
          ? await tryBytes({ random, server, verdict })
          : await tryRequest({ scene, number, client, conformance, verdict });
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    }),
  );
  const counted = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  verdict.say(`${sent} requests for ${scene.operations.length} operations; ${counted.join(', ')}`);
}

async function tryRequest({ scene, number, client, conformance, verdict }) {
  const { operation, request, mustRefuse } = generate(scene, number);
  const { method, path: url, headers } = request;
  const asked = { method, url, headers };
  const label = describe(number, request);
  let answer;
  try {
    answer = await client.send({ ...request, patienceMs: 10_000 });
  } catch (error) {
    verdict.fault(`no answer: ${error.message}`, label);
    return 'none';
  }
  const { status } = answer;
  if (status >= 500)
    verdict.fault(`${operation.id} was answered with ${status}`, `${label}\n       ${answer.body}`);
  if (mustRefuse !== undefined && status < 300) {
    verdict.fault(`${operation.id} was carried out although ${mustRefuse}`, label);
  }
  const seen = { statusCode: status, headers: answer.headers, body: answer.body.toString('utf8') };
  for (const fault of conformance.faults(asked, seen)) {
    const [, what = fault] = /^.* -> (\d+ \(.*)$/s.exec(fault) ?? [];
    verdict.fault(
      `the contract does not allow: ${what.slice(0, 200)}`,
      `${label}\n       ${seen.body.slice(0, 300)}`,
    );
  }
  if (method === 'DELETE' && status === 204) scene.state.deleted.add(url.replace(/^.*\/|\?.*$/g, ''));
  const carriedOut = conformance.operationOf(asked);
  if (carriedOut !== undefined && method !== 'HEAD') scene.state.learn(carriedOut, answer);
  return status;
}

async function tryBytes({ random, server, verdict }) {
  const bytes = rawRequest(random);
  const answer = await exchangeRaw(server.port, bytes);
  if (answer === undefined) return 'closed';
  const label = JSON.stringify(bytes.toString('latin1'));
  if (answer.status === 0 || answer.status >= 500)
    verdict.fault(`bytes were answered with ${answer.status}`, label);
  if (answer.status < 300 && /^(POST|PATCH|DELETE)/.test(bytes.latin1Slice(0, 6))) {
    verdict.fault('changed bytes were carried out', label);
  }
  if (answer.headers['x-request-id'] === undefined) verdict.fault('an answer without X-Request-Id', label);
  return answer.status;
}

async function checkDatabase({ url, mine, before, state, verdict }) {
  const after = await hashUntouched(url, mine);
  const changed = Object.keys(before).filter((table) => before[table] !== after[table]);
  verdict.bar(
    `nothing changed that no request has a right to change${changed.length > 0 ? `: ${changed}` : ''}`,
    changed.length === 0,
  );
  const rows = await ask(url, 'SELECT id FROM reports WHERE account_id = $1 AND NOT starts_with(id, $2)', [
    mine.accountId,
    seeds,
  ]);
  const right = new Set([...state.made].filter((id) => !state.deleted.has(id)));
  const same = rows.length === right.size && rows.every(({ id }) => right.has(id));
  verdict.bar(`${right.size} reports are there, those that were answered with 201 and not deleted`, same);
  if (state.profileChanges === 0) verdict.say('no profile was changed');
}

/** A request in the words of a report; its token is shortened. */
function describe(number, { method, path, headers, body }) {
  const { authorization, ...others } = headers;
  const parts = [path, { ...others, authorization: authorization?.slice(0, 20) }, body];
  return `request ${number}: ${method} ${parts.map((part) => JSON.stringify(part)?.slice(0, 300)).join(' ')}`;
}
