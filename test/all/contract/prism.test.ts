import path from 'node:path';
import { contractFile } from '../../../src/platform/contract/contract.js';
import { contract } from '../../support/server/app.js';
import { startDemoServer } from '../../support/server/demo-server.js';
import t from '../../support/tap.js';
import { acceptsReported, disagreements, rejectsUnreported, unseenStatuses } from './prism/disagreements.js';
import { sendBeyondLimits } from './prism/limited-requests.js';
import { sendMadeRequests } from './prism/made-requests.js';
import { plantDemands } from './prism/planted-contract.js';
import { startPrism } from './prism/proxy.js';
import { RandomRequests } from './prism/random-requests.js';
import { createRecorder, type Exchange } from './prism/recorder.js';
import { createPrismWorld } from './prism/world.js';

/** Random requests for each operation. Half of them have values that violate the contract. */
const rounds = 6;

const world = await createPrismWorld(t);
const { baseUrl } = world.server;
const prism = await startPrism(t, contractFile, baseUrl);
const recorder = createRecorder(prism);
await sendMadeRequests(world, recorder);
await sendRandomRequests();
const limited = await startDemoServer(t, {
  RATE_LIMIT_API: '1',
  RATE_LIMIT_TOKEN: '1',
  MAX_REPORTS_PER_ACCOUNT: '1',
});
const limitedRecorder = createRecorder(await startPrism(t, contractFile, limited.baseUrl));
await sendBeyondLimits(limited, limitedRecorder);
const exchanges = [...recorder.exchanges, ...limitedRecorder.exchanges];

async function sendRandomRequests(): Promise<void> {
  const random = new RandomRequests(world, 1);
  const ids = {
    employee_id: ['acmedemo00000000', 'unknown'],
    event_id: ['evt_demoacme_00000001', 'unknown'],
    report_id: ['demoheadcount', 'demoonleave'],
    webhook_endpoint_id: ['demo', 'unknown'],
  };
  for (let round = 0; round < rounds; round += 1) {
    for (const operation of random.operations) {
      const response = await recorder.send(random.next(operation, ids, round % 2 === 1));
      if (operation.id === 'createReport' && response.status === 201)
        ids.report_id.push(JSON.parse(response.body).data.id);
    }
  }
}

const describe = ({ request, response }: Exchange) =>
  `${request.label}: ${request.method} ${request.path} ${request.body?.slice(0, 200) ?? ''} -> ${response.status} ` +
  `${response.body.slice(0, 300)} ${JSON.stringify(response.violations)}`;

t.test('Prism reports no violation in the responses to more than 200 requests', async (t) => {
  t.ok(exchanges.length >= 200, `${exchanges.length} requests`);
  for (const exchange of exchanges) {
    const violations = exchange.response.violations.filter(({ location }) => location[0] !== 'request');
    t.same(violations, [], describe(exchange));
    t.ok(exchange.response.status < 500, describe(exchange));
  }
});

t.test('every operation has each of its documented statuses below 500 behind Prism', async (t) => {
  for (const { id, responses } of contract.operations.values()) {
    const seen = new Set(
      exchanges.filter(({ operation }) => operation === id).map(({ response }) => response.status),
    );
    for (const status of responses.keys()) {
      if (status >= 500) continue;
      const unseen = unseenStatuses[status] ?? unseenStatuses[`${id} ${status}`];
      t.equal(seen.has(status), unseen === undefined, `${id} ${status}: ${unseen ?? 'seen'}`);
    }
  }
});

t.test('the server rejects every request in which Prism reports a violation', async (t) => {
  t.ok(exchanges.some(({ response }) => response.violations.length > 0));
  for (const exchange of exchanges) t.notOk(acceptsReported(exchange), describe(exchange));
});

t.test('the server rejects a request that Prism accepts for the listed reasons only', async (t) => {
  const unreported = exchanges.filter(rejectsUnreported);
  for (const exchange of unreported) {
    t.ok(
      disagreements.some(({ explains }) => explains(exchange)),
      describe(exchange),
    );
  }
  for (const { reason, explains } of disagreements) t.ok(unreported.some(explains), reason);
});

t.test('Prism reports each parameter and each body that differs from the contract', async (t) => {
  const directory = t.testdir({ 'planted.json': JSON.stringify(plantDemands()) });
  const planted = createRecorder(await startPrism(t, path.join(directory, 'planted.json'), baseUrl));
  const random = new RandomRequests(world, 2);
  const ids = {
    employee_id: ['acmedemo00000000'],
    event_id: ['evt_demoacme_00000001'],
    report_id: ['demoengineering'],
    webhook_endpoint_id: ['demo'],
  };
  for (const operation of random.operations) {
    const sent = operation.parameters.map((parameter) => ({ ...parameter, required: true }));
    const request = random.next({ ...operation, parameters: sent }, ids, false);
    const exchange = { request, response: await planted.send(request), operation: operation.id };
    const places = exchange.response.violations.map(({ location }) => location.join(' '));
    const expected = sent.map((parameter) => `request ${parameter.in} ${parameter.name}`);
    if (operation.body !== undefined) expected.push('request body');
    if (exchange.response.body !== '') expected.push('response body');
    for (const place of expected)
      t.ok(places.includes(place), `${operation.id} ${place} ${describe(exchange)}`);
  }
});

t.test('Prism cannot forward a HEAD request', async (t) => {
  // It parses a body because of Content-Type, although the response has none.
  const headers = { authorization: `Bearer ${world.tokens.user}` };
  const request = { label: 'HEAD', method: 'HEAD', path: '/v1/employees', headers };
  t.equal((await prism.send(request)).status, 500);
  const { method, status } = world.server.exchanges.at(-1) ?? {};
  t.same({ method, status }, { method: 'HEAD', status: 200 });
});
