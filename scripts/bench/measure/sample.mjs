import { residentBytes } from './processor-time.mjs';
import { quantile } from './statistics.mjs';

/**
 * What one subject did in one round.
 *
 * @typedef {object} Sample
 * @property {number} requests
 * @property {number} perSecond Requests answered in a second.
 * @property {number} perServerSecond Requests for each second of processor time of the server.
 * @property {number} perTotalSecond The same, of the server and PostgreSQL together; NaN where PostgreSQL is elsewhere.
 * @property {number} p50 Milliseconds.
 * @property {number} p99 Milliseconds.
 * @property {number} memory Resident bytes at the end.
 * @property {number} loadShare Processor seconds that the load itself took in a second.
 * @property {number} checked Bodies that were read to the end and found right.
 */

/**
 * @param {object} result what the generator saw
 * @param {import('./processor-time.mjs').Watched} watched
 * @returns {Sample}
 */
export function toSample({ begin, end, latencies, checked }, watched) {
  const seconds = (end.at - begin.at) / 1000;
  const server = end.servers - begin.servers;
  const requests = latencies.length;
  return {
    requests,
    perSecond: requests / seconds,
    perServerSecond: requests / server,
    perTotalSecond:
      watched.postmaster === undefined ? Number.NaN : requests / (server + databaseSeconds(begin, end)),
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    memory: watched.servers.reduce((sum, pid) => sum + residentBytes(pid), 0),
    loadShare: (end.own - begin.own) / seconds,
    checked,
  };
}

/**
 * What PostgreSQL spent on the database: the time of its sessions, and of the processes that serve all databases
 * (they write the log and the pages) the part that these sessions have in all sessions.
 */
export function databaseSeconds(begin, end) {
  const sessions = used(begin.sessions, end.sessions);
  const others = used(begin.others, end.others);
  const share = sessions + others === 0 ? 0 : sessions / (sessions + others);
  return sessions + share * (end.shared - begin.shared);
}

function used(before, after) {
  return Object.entries(after).reduce((sum, [pid, seconds]) => sum + seconds - (before[pid] ?? 0), 0);
}
