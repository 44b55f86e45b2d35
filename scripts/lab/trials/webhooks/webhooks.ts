import { setTimeout as wait } from 'node:timers/promises';
import { query } from '../../kit/database/postgresql.js';
import { HttpClient, jsonOf } from '../../kit/http/client.js';
import { sendJson } from '../../kit/http/requests.js';
import { createRandom } from '../../kit/random.js';
import { type Account, describeExchange, requestToken, withAccounts } from '../accounts.js';
import type { Trial } from '../verdict.js';
import { type Behaviour, behaviours, type Receiver, Receivers } from './receivers.js';
import { Servers } from './servers.js';
import { changeEmployees } from './writers.js';

const sizes = {
  short: { accounts: 3, endpoints: 4, faulty: 4, changes: 600, changesMs: 3_000 },
  full: { accounts: 5, endpoints: 10, faulty: 10, changes: 10_000, changesMs: 60_000 },
};

const scopes = ['reports:read', 'webhooks:read', 'webhooks:write'];

/** Milliseconds after the last change in which healthy endpoints get every event. */
const bound = 60_000;

/** Maximum milliseconds to wait for missing events. */
const patienceMs = 120_000;

/** Kills processes that send webhooks while employees are changed, and counts the events that endpoints receive. */
export const trial: Trial = async ({ short, seed, verdict }) => {
  const size = short ? sizes.short : sizes.full;
  const random = createRandom(seed);
  await withAccounts(
    { name: 'webhooks', accounts: size.accounts, employees: 20 },
    async ({ url, accounts }) => {
      await query(url, 'UPDATE applications SET scopes = $1', [scopes]);
      const receivers = await Receivers.open(verdict);
      const servers = await Servers.start({ databaseUrl: url, count: 3, random });
      try {
        for (let number = 0; number < size.accounts * size.endpoints; number += 1) {
          const faulty = number < size.faulty ? behaviours[number % behaviours.length] : 'healthy';
          await addEndpoint(servers.ports[0], receivers, accounts[number % size.accounts], faulty);
        }
        const starts = await lastPositions(url);
        for (const receiver of receivers.all) receiver.position = starts.get(receiver.accountId) ?? 0;
        servers.killAtRandom();
        const { changes, milliseconds } = await changeEmployees({
          ...{ url, random, writers: 8, changes: size.changes, milliseconds: size.changesMs },
          accountIds: accounts.map(({ accountId }) => accountId),
        });
        const lastChangeAt = Date.now();
        await servers.stopKilling();
        const ends = await lastPositions(url);
        const written = [...ends].reduce((sum, [id, end]) => sum + end - (starts.get(id) ?? 0), 0);
        verdict.check(`${changes} changes in ${milliseconds} ms made ${written} events`, changes === written);
        const healthy = receivers.all.filter(({ behaviour }) => behaviour === 'healthy');
        const isComplete = ({ accountId, position }: Receiver) => position === ends.get(accountId);
        while (!healthy.every(isComplete) && Date.now() < lastChangeAt + patienceMs) await wait(20);
        const completeMs = Math.max(...healthy.map(({ lastAt }) => lastAt)) - lastChangeAt;
        const complete = healthy.filter(isComplete).length;
        verdict.check(
          `${complete} of ${healthy.length} healthy endpoints got every event, in order`,
          complete === healthy.length,
        );
        verdict.checkTime(
          `complete ${completeMs} ms after the last change; at most ${bound}`,
          completeMs <= bound,
        );
        const unexplained = healthy.flatMap(({ repeated }) =>
          repeated.filter(({ firstAt, againAt }) => !servers.wasKilledBetween(firstAt, againAt)),
        );
        verdict.check(
          'a delivery is repeated only where a process was killed after it was sent',
          unexplained.length === 0,
        );
        verdict.check(`${servers.kills} processes were killed`, servers.kills > 0);
        verdict.check('redirects are not followed', receivers.redirected === 0);
        const sum = (count: (receiver: Receiver) => number, of: readonly Receiver[]) =>
          of.reduce((total, receiver) => total + count(receiver), 0);
        verdict.note(
          `${sum(({ deliveries }) => deliveries, healthy)} deliveries with ${sum(({ events }) => events, healthy)} events to healthy endpoints, ` +
            `${sum(({ repeated }) => repeated.length, healthy)} deliveries repeated; ` +
            `${sum(({ attempts }) => attempts, receivers.all)} attempts in all`,
        );
        for (const behaviour of behaviours) {
          const of = receivers.all.filter((receiver) => receiver.behaviour === behaviour);
          verdict.check(
            `${of.length} endpoints that are ${behaviour} were tried`,
            of.every(({ attempts }) => attempts > 0),
          );
        }
      } finally {
        await servers.stop();
        receivers.close();
      }
    },
  );

  async function addEndpoint(port: number, receivers: Receivers, account: Account, behaviour: Behaviour) {
    const client = new HttpClient(port);
    try {
      const token = await requestToken(client.send, account.application, scopes.join(' '));
      const receiver = receivers.add(account.accountId, behaviour);
      const request = sendJson('POST', '/v1/webhook_endpoints', token, { url: receiver.url });
      const response = await client.send(request);
      if (response.status !== 201) throw new Error(describeExchange(request, response));
      receiver.secret = jsonOf(response).meta.secret;
    } finally {
      client.close();
    }
  }
};

/** Position of the last event, by account. */
async function lastPositions(url: string): Promise<Map<string, number>> {
  const rows = await query(url, 'SELECT account_id, events FROM account_totals');
  return new Map(rows.map(({ account_id, events }) => [account_id, Number(events)]));
}
