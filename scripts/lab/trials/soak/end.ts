import { setTimeout as wait } from 'node:timers/promises';
import { query } from '../../kit/database/postgresql.js';
import { jsonOf } from '../../kit/http/client.js';
import { get } from '../../kit/http/requests.js';
import { type Account, requestToken } from '../accounts.js';
import type { Verdict } from '../verdict.js';
import type { CheckingClient } from './clients/checking-client.js';
import { ProfileWriter } from './clients/profile-writer.js';
import { type ReportResource, ReportWriter } from './clients/report-writer.js';
import type { Fleet } from './fleet.js';

/** Maximum number of revoked tokens that are tried again. */
const mostTokens = 2_000;

/** Checks, without faults, that all acknowledged writes are stored, and that revoked tokens are invalid. */
export async function checkEnd({
  clients,
  revoked,
  fleet,
  verdict,
  url,
}: {
  clients: readonly CheckingClient[];
  revoked: readonly string[];
  fleet: Fleet;
  verdict: Verdict;
  url: string;
}): Promise<void> {
  fleet.limitRate(0);
  for (const proxy of fleet.proxies) proxy.restore();
  await wait(2_000);
  let writes = 0;
  let unresolved = 0;
  for (const client of clients) {
    if (client instanceof ReportWriter) {
      unresolved += client.unresolved.size;
      writes += client.acknowledged;
      for (const difference of client.differences(await readReports(fleet, client.account))) {
        verdict.violation('an acknowledged write is lost', difference);
      }
    }
    if (client instanceof ProfileWriter) {
      writes += client.acknowledged;
      const { id } = client.account.owner;
      const [{ nickname }] = await query(url, 'SELECT nickname FROM users WHERE id = $1', [id]);
      if (!client.possible.includes(nickname)) verdict.violation('an acknowledged profile is lost', nickname);
    }
  }
  verdict.note(`${writes} acknowledged writes were checked; the state of ${unresolved} reports is unknown`);
  const tokens = revoked.slice(-mostTokens);
  for (const [index, token] of tokens.entries()) {
    const { status } = await fleet.send(get('/v1/employees?page[size]=1', token), index % fleet.size);
    if (status !== 401) verdict.violation('a revoked token is valid at the end', status);
  }
  verdict.note(
    `${revoked.length} tokens were revoked, ${tokens.length} tried again; ${fleet.restarts} processes killed`,
  );
}

async function readReports(fleet: Fleet, { application }: Account): Promise<ReportResource[]> {
  const token = await requestToken((request) => fleet.send(request), application);
  const { data, links } = jsonOf(await fleet.send(get('/v1/reports?page[size]=500', token)));
  if (links.next !== null) throw new Error('More reports than a page has');
  return data;
}
