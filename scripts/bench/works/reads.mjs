import { isDeepStrictEqual } from 'node:util';
import { tenants } from '../database/tenants.mjs';
import { exchangeAll, requestBytes } from '../load/connection.mjs';
import { baseUrl } from '../root.mjs';
import { readEmployees } from './expected.mjs';

const pageSize = 50;
const first = (count) => Array.from({ length: count }, (_, index) => index);

/**
 * @typedef {object} Read One request, before it has a token, and what must come of it.
 * @property {import('../database/tenants.mjs').Tenant} tenant
 * @property {string} path
 * @property {(content: object) => boolean} isRight
 */

/**
 * The first page of every tenant.
 *
 * @param {{ name: string, url: string }} database
 * @param {{ tenants: number, employees: number }} size
 * @returns {Promise<Read[]>}
 */
export async function listReads(database, size) {
  const all = tenants(size.tenants);
  const employees = await readEmployees(
    database,
    all.map(({ accountId }) => accountId),
    first(pageSize),
  );
  const link = (number) => `${baseUrl}/v1/employees?page%5Bnumber%5D=${number}&page%5Bsize%5D=${pageSize}`;
  return all.map((tenant) => ({
    tenant,
    path: `/v1/employees?page%5Bsize%5D=${pageSize}`,
    isRight: ({ data, meta, links }) =>
      isDeepStrictEqual(data, employees.get(tenant.accountId)) &&
      meta.record_count === size.employees &&
      links.first === link(1) &&
      links.prev === null &&
      links.next.startsWith(link(2)) &&
      links.last === link(size.employees / pageSize),
  }));
}

/** Some employees of every tenant, from all over the list. */
export async function getReads(database, size) {
  const all = tenants(size.tenants);
  const positions = first(10).map((index) => Math.floor((index * size.employees) / 10) + 7 * index);
  const employees = await readEmployees(
    database,
    all.map(({ accountId }) => accountId),
    positions,
  );
  return positions.flatMap((_, index) =>
    all.map((tenant) => {
      const employee = employees.get(tenant.accountId)[index];
      return {
        tenant,
        path: `/v1/employees/${employee.id}`,
        isRight: ({ data }) => isDeepStrictEqual(data, employee),
      };
    }),
  );
}

/**
 * Sends every request once and compares each answer with what the database says.
 *
 * @param {{ name: string, subject: import('../subjects/subject.mjs').Subject, tokens: Map<string, string> }} who
 *   tokens: by account
 * @param {Read[]} reads
 * @returns {Promise<import('../load/fixed-requests.mjs').FixedRequest[]>} with the bytes that came
 */
export async function proveReads({ name, subject, tokens }, reads) {
  const requests = reads.map(({ tenant, path }) =>
    requestBytes({
      path,
      headers: { authorization: `Bearer ${tokens.get(tenant.accountId)}`, 'x-account': tenant.accountId },
    }),
  );
  const answers = await exchangeAll({ port: subject.ports[0] }, requests);
  return answers.map(({ status, body }, index) => {
    const { path, isRight } = reads[index];
    if (status !== 200 || !isRight(JSON.parse(body.toString()))) {
      throw new Error(
        `${name} answers ${path} with ${status}, not as it must: ${body.toString().slice(0, 1000)}`,
      );
    }
    return { bytes: requests[index], expected: body };
  });
}

/** Our requests are what the limit must answer with the same bytes. */
export function assertSameBytes(requests, others) {
  const index = requests.findIndex(({ expected }, place) => !expected.equals(others[place].expected));
  if (index === -1) return;
  const [ours, limit] = [requests[index].expected.toString(), others[index].expected.toString()];
  const at = [...ours].findIndex((character, place) => character !== limit[place]);
  throw new Error(
    `The limit does not answer with our bytes; peers/limit/texts.mjs must follow what changed:\n` +
      `ours:  …${ours.slice(Math.max(0, at - 60), at + 120)}\nlimit: …${limit.slice(Math.max(0, at - 60), at + 120)}`,
  );
}
