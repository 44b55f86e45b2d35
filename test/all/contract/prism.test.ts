import { contractFile } from '../../../src/platform/contract/contract.js';
import t from '../../support/tap.js';
import { sendMadeRequests } from './prism/made-requests.js';
import { startPrism } from './prism/proxy.js';
import { RandomRequests } from './prism/random-requests.js';
import { type Exchange, Recorder } from './prism/recorder.js';
import { createPrismWorld } from './prism/world.js';

/** Random requests for each operation. Half of them have values that violate the contract. */
const rounds = 6;

/** Statuses for a request that violates the contract or lacks authorization. */
const rejections = [400, 401, 403, 413, 415];

const world = await createPrismWorld(t);
const recorder = new Recorder(await startPrism(t, contractFile, world.server.baseUrl));
await sendMadeRequests(world, recorder);
await sendRandomRequests();
const { exchanges } = recorder;

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

const isOfRequest = ({ location }: { location: readonly string[] }) => location[0] === 'request';

t.test('Prism reports no violation in the responses to more than 200 requests', async (t) => {
  t.ok(exchanges.length >= 200, `${exchanges.length} requests`);
  for (const exchange of exchanges) {
    const violations = exchange.response.violations.filter((violation) => !isOfRequest(violation));
    t.same(violations, [], describe(exchange));
    t.ok(exchange.response.status < 500, describe(exchange));
  }
});

t.test('the server rejects every request in which Prism reports a violation', async (t) => {
  const reported = exchanges.filter(({ response }) => response.violations.some(isOfRequest));
  t.ok(reported.length > 0);
  for (const exchange of reported) t.ok(rejections.includes(exchange.response.status), describe(exchange));
});
