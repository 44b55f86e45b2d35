import { isDeepStrictEqual } from 'node:util';
import { type Database, query } from '../../kit/database/postgresql.js';
import { type Tenant, type TenantSize, tenants } from '../../kit/database/tenants.js';
import { HttpClient } from '../../kit/http/client.js';
import type { FixedRequest } from '../../kit/load/fixed-requests.js';
import { baseUrl } from '../../kit/paths.js';
import type { ServerProcess } from '../../kit/server/process.js';
import type { Target } from '../rounds.js';
import { requestTokens } from './tokens.js';

const pageSize = 50;
const first = (count: number) => Array.from({ length: count }, (_, index) => index);

interface Resource {
  readonly id: string;
  readonly type: string;
  readonly attributes: object;
}

/** The members of a body that are checked. */
interface Content {
  readonly data: unknown;
  readonly meta: { readonly record_count: number };
  readonly links: Readonly<Record<'first' | 'prev' | 'next' | 'last', string | null>>;
}

/** One request, without a token, and the check of its response. */
export interface Read {
  readonly tenant: Tenant;
  readonly path: string;
  readonly isCorrect: (content: Content) => boolean;
}

/** The first page of every tenant. */
export async function listReads(database: Database, size: TenantSize): Promise<Read[]> {
  const callers = tenants(size.tenants);
  const employees = await readEmployees(database, callers, first(pageSize));
  const link = (number: number) =>
    `${baseUrl}/v1/employees?page%5Bnumber%5D=${number}&page%5Bsize%5D=${pageSize}`;
  return callers.map((tenant) => ({
    tenant,
    path: `/v1/employees?page%5Bsize%5D=${pageSize}`,
    isCorrect: ({ data, meta, links }) =>
      isDeepStrictEqual(data, employees.get(tenant.accountId)) &&
      meta.record_count === size.employees &&
      links.first === link(1) &&
      links.prev === null &&
      links.next?.startsWith(link(2)) === true &&
      links.last === link(size.employees / pageSize),
  }));
}

/** Some employees of every caller, from all parts of the list. @param callers default: all tenants */
export async function getReads(
  database: Database,
  size: TenantSize,
  { callers = tenants(size.tenants), perCaller = 10 }: { callers?: Tenant[]; perCaller?: number } = {},
): Promise<Read[]> {
  const positions = first(perCaller).map((index) => Math.floor((index * size.employees) / 10) + 7 * index);
  const employees = await readEmployees(database, callers, positions);
  return positions.flatMap((_, index) =>
    callers.map((tenant) => {
      const employee = employees.get(tenant.accountId)?.[index];
      return {
        tenant,
        path: `/v1/employees/${employee?.id}`,
        isCorrect: ({ data }: Content) => isDeepStrictEqual(data, employee),
      };
    }),
  );
}

/** Expected employees at these positions, read from the database. @returns resources by account */
async function readEmployees(
  { url }: Database,
  callers: readonly Tenant[],
  positions: readonly number[],
): Promise<Map<string, Resource[]>> {
  const accountIds = callers.map(({ accountId }) => accountId);
  const rows = await query(
    url,
    `SELECT account_id, jsonb_agg(jsonb_build_object('id', id, 'type', 'employees', 'attributes', jsonb_build_object(
              'employee_number', employee_number, 'first_name', first_name, 'last_name', last_name, 'email', email,
              'status', status, 'department', department, 'job_title', job_title, 'location', location,
              'hire_date', hire_date, 'termination_date', termination_date, 'manager_id', manager_id,
              'updated_at', to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
              || CASE WHEN custom IS NULL THEN '{}' ELSE jsonb_build_object('custom', custom) END)
              ORDER BY position) AS employees
     FROM employees WHERE account_id = ANY ($1) AND position = ANY ($2) GROUP BY account_id`,
    [accountIds, positions],
  );
  return new Map(rows.map(({ account_id: accountId, employees }) => [accountId, employees]));
}

/**
 * Sends every request once and checks each response.
 *
 * @param target tokens: by account
 * @returns the requests with the bytes of their responses
 */
async function verifyReads(
  { name, server, tokens }: { name: string; server: ServerProcess; tokens: ReadonlyMap<string, string> },
  reads: readonly Read[],
): Promise<Required<Omit<FixedRequest, 'shape'>>[]> {
  const client = new HttpClient(server.port);
  const verified = [];
  for (const { tenant, path, isCorrect } of reads) {
    const headers = {
      authorization: `Bearer ${tokens.get(tenant.accountId)}`,
      'x-account': tenant.accountId,
    };
    const request = { path, headers };
    const { status, body } = await client.send(request);
    if (status !== 200 || !isCorrect(JSON.parse(body.toString()))) {
      throw new Error(`${name}: wrong response to ${path}: ${status} ${body.toString().slice(0, 1000)}`);
    }
    verified.push({ request, expected: body });
  }
  client.close();
  return verified;
}

/** A target whose responses were verified. */
export interface ReadTarget extends Target {
  readonly reads: readonly Read[];
  readonly requests: readonly Required<Omit<FixedRequest, 'shape'>>[];
}

/** @param tokens by account; by default, the server issues them */
export async function readTarget(
  label: Pick<Target, 'name' | 'role'>,
  server: ServerProcess,
  reads: readonly Read[],
  tokens?: ReadonlyMap<string, string>,
): Promise<ReadTarget> {
  const callers = [...new Map(reads.map(({ tenant }) => [tenant.accountId, tenant])).values()];
  const requests = await verifyReads(
    { name: label.name, server, tokens: tokens ?? (await requestTokens(server, callers)) },
    reads,
  );
  return {
    ...label,
    service: server,
    job: async () => ({ load: 'fixedRequests', input: { requests } }),
    reads,
    requests,
  };
}

/** @throws {Error} unless the responses of the limit equal those of our server */
export function assertSameBytes(
  ours: readonly { expected: Buffer }[],
  limit: readonly { expected: Buffer }[],
): void {
  const index = ours.findIndex(({ expected }, place) => !expected.equals(limit[place].expected));
  if (index === -1) return;
  const [our, other] = [ours[index].expected.toString(), limit[index].expected.toString()];
  const at = [...our].findIndex((character, place) => character !== other[place]);
  const excerpt = (text: string) => text.slice(Math.max(0, at - 60), at + 120);
  throw new Error(
    `The limit sends other bytes; adapt baselines/limit/bodies.ts:\nours:  …${excerpt(our)}\nlimit: …${excerpt(other)}`,
  );
}
