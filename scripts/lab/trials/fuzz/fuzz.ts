import { type Conformance, createConformance } from '../../../../test/support/contract/conformance.js';
import { readOperations } from '../../../../test/support/fuzz/operations.js';
import { query } from '../../kit/database/postgresql.js';
import type { HttpClient } from '../../kit/http/client.js';
import { baseUrl } from '../../kit/paths.js';
import { withServer } from '../accounts.js';
import { checkUnchanged, type Exempt, hashUnchanged } from '../unchanged.js';
import type { Trial, Verdict } from '../verdict.js';
import { type FuzzedRequest, type FuzzSource, generate } from './generate.js';
import { prepare, seededPrefix } from './prepare.js';
import type { State } from './state.js';

interface Scene {
  readonly source: FuzzSource;
  readonly client: HttpClient;
  readonly conformance: Conformance;
  readonly verdict: Verdict;
}

interface CheckedDatabase {
  readonly url: string;
  readonly exempt: Exempt;
  readonly state: State;
  readonly verdict: Verdict;
}

/** `http://localhost` is accepted for webhook endpoints. */
const environment = { NODE_ENV: 'development' };

/** With so many requests, every operation succeeds. */
const enoughRequests = 10_000;

/** Concurrent requests. */
const concurrency = 8;

/** Sends random requests for every operation and compares the responses with the contract. */
export const trial: Trial = ({ requests, seed, verdict }) =>
  withServer({ name: 'fuzz', accounts: 2, employees: 60 }, { verdict, environment }, async (running) => {
    const { url, accounts, client } = running;
    const { operations, resolve } = readOperations();
    const state = await prepare(running, [...new Set(operations.flatMap(({ scopes }) => scopes ?? []))]);
    const exempt = { userId: accounts[0].owner.id, accountId: accounts[0].accountId, seededPrefix };
    const before = await hashUnchanged(url, exempt);
    const source = { operations, resolve, state, seed };
    const conformance = createConformance(`${baseUrl}/errors`);
    await sendAll({ source, client, conformance, verdict }, requests);
    await checkUnchanged({ url, exempt, before, verdict });
    await checkReports({ url, exempt, state, verdict });
    const failed = operations.map(({ id }) => id).filter((id) => !state.succeeded.has(id));
    const text = `every operation succeeded at least once, except: ${failed.join(', ') || 'none'}`;
    if (requests < enoughRequests) verdict.note(text);
    else verdict.check(text, failed.length === 0);
  });

async function sendAll(scene: Scene, requests: number): Promise<void> {
  const { source, verdict } = scene;
  const statuses = new Map<number | string, number>();
  let sent = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (sent < requests) {
        const number = sent++;
        const status = await sendRequest(scene, number);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }),
  );
  const counted = [...statuses].sort().map(([status, count]) => `${status}: ${count}`);
  verdict.note(`${sent} requests for ${source.operations.length} operations; ${counted.join(', ')}`);
}

/** @returns the status, or `none` */
async function sendRequest(
  { source, client, conformance, verdict }: Scene,
  number: number,
): Promise<number | string> {
  const { operation, request, mustReject } = generate(source, number);
  const { method, path: url, headers } = request;
  const label = describe(number, request);
  const response = await client.send({ ...request, timeoutMs: 10_000 }).catch((error) => {
    verdict.violation(`no response: ${error.message}`, label);
    return undefined;
  });
  if (response === undefined) return 'none';
  const { status } = response;
  const body = response.body.toString('utf8');
  if (status >= 500) verdict.violation(`${operation.id}: status ${status}`, `${label}\n       ${body}`);
  if (mustReject !== undefined && status < 300) {
    verdict.violation(`${operation.id} was processed although ${mustReject}`, label);
  }
  const asked = { method, url, headers };
  for (const fault of conformance.faults(asked, { statusCode: status, headers: response.headers, body })) {
    const [, what = fault] = /^.* -> (\d+ \(.*)$/s.exec(fault) ?? [];
    verdict.violation(
      `the contract does not allow: ${what.slice(0, 200)}`,
      `${label}\n       ${body.slice(0, 300)}`,
    );
  }
  const { state } = source;
  if (method === 'DELETE' && status === 204) state.deleted.add(url.replace(/^.*\/|\?.*$/g, ''));
  const carriedOut = conformance.operationOf(asked);
  if (carriedOut !== undefined && method !== 'HEAD') state.learn(carriedOut.id, response);
  return status;
}

/** Checks that exactly the created and not deleted reports exist. */
async function checkReports({ url, exempt, state, verdict }: CheckedDatabase): Promise<void> {
  const rows = await query(url, 'SELECT id FROM reports WHERE account_id = $1 AND NOT starts_with(id, $2)', [
    exempt.accountId,
    exempt.seededPrefix,
  ]);
  const expected = new Set([...state.created].filter((id) => !state.deleted.has(id)));
  verdict.check(
    `${expected.size} reports exist, those that were created and not deleted`,
    rows.length === expected.size && rows.every(({ id }) => expected.has(id)),
  );
  if (state.profileChanges === 0) verdict.note('no profile was changed');
}

/** Describes the request of a violation; its token is shortened. */
function describe(number: number, { method, path, headers, body }: FuzzedRequest['request']): string {
  const { authorization, ...others } = headers;
  const parts = [path, { ...others, authorization: authorization?.slice(0, 20) }, body];
  return `request ${number}: ${method} ${parts.map((part) => JSON.stringify(part)?.slice(0, 300)).join(' ')}`;
}
