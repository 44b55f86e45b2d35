import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import type { LightMyRequestResponse } from 'fastify';
import type { Test } from 'tap';
import type { TestApp } from '../server/app.js';
import { createTenant, type Tenant, type TestEmployee } from './tenant.js';

type Method = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';

/** Requests to the reports of one tenant, with a token that has every scope. */
export interface ReportClient {
  readonly tenant: Tenant;
  readonly token: string;
  send(
    method: Method,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse>;
  create(body: object, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  /** Creates a report, expects success, and returns its id. */
  saved(body: object): Promise<string>;
  /** The records of every page of a list, read by following links. */
  follow(path: string): Promise<Row[]>;
  /** The rows of every page of a report. */
  allRows(id: string, size?: number): Promise<Row[]>;
  csv(id: string): Promise<string>;
}

export interface Row {
  readonly id: string;
  readonly attributes: Readonly<Record<string, string | number | null>>;
}

export async function createReportClient(
  api: TestApp,
  { employees = [] as readonly TestEmployee[] } = {},
): Promise<ReportClient> {
  const tenant = await createTenant(api.database, { employees });
  const token = await api.token(tenant.application);
  const send: ReportClient['send'] = (method, path, body, headers = {}) =>
    api.app.inject({
      method,
      url: path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
  const follow = async (path: string): Promise<Row[]> => {
    const response = await send('GET', path.replace('http://api.test', ''));
    if (response.statusCode !== 200) throw new Error(`${path}: ${response.body}`);
    const { data, links } = response.json();
    return links.next === null ? data : [...data, ...(await follow(links.next))];
  };
  return {
    tenant,
    token,
    send,
    create: (body, headers) => send('POST', '/v1/reports', body, headers),
    async saved(body) {
      const response = await send('POST', '/v1/reports', body);
      if (response.statusCode !== 201) throw new Error(`${JSON.stringify(body)}: ${response.body}`);
      return response.json().data.id;
    },
    follow,
    allRows: (id, size = 50) => follow(`/v1/reports/${id}/results?page[size]=${size}`),
    async csv(id) {
      const response = await send('GET', `/v1/reports/${id}/results.csv`);
      if (response.statusCode !== 200) throw new Error(response.body);
      return response.body;
    },
  };
}

/** Requests the CSV of a report over the network, and waits for the head of the response. */
export async function requestCsv(
  { token }: Pick<ReportClient, 'token'>,
  { port, report, method = 'GET' }: { port: number; report: string; method?: 'GET' | 'HEAD' },
): Promise<IncomingMessage> {
  const request = http.request({
    host: '127.0.0.1',
    port,
    path: `/v1/reports/${report}/results.csv`,
    method,
    headers: { authorization: `Bearer ${token}` },
    agent: false,
  });
  // Both the request and the response report the reset of a connection.
  request.on('error', () => {});
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

/** Expects a problem with this code, and errors at exactly these pointers. */
export function refused(
  t: Test,
  response: LightMyRequestResponse,
  code: string,
  pointers?: readonly string[],
  label = '',
): void {
  const problem = response.json();
  t.equal(problem.code, code, label);
  if (pointers === undefined) return;
  const named = (problem.errors ?? []).map((error: { pointer?: string }) => error.pointer);
  t.same([...new Set(named)].sort(), [...pointers].sort(), label);
}

/** Reads RFC 4180 strictly, except that lines end with LF: LF after every line, quotes only where they belong. */
export function parseCsv(text: string): string[][] {
  const lines: string[][] = [];
  let at = 0;
  while (at < text.length) {
    const line: string[] = [];
    for (;;) {
      const [cell, end] = readCell(text, at);
      line.push(cell);
      at = end;
      if (text[at] === ',') at += 1;
      else break;
    }
    if (text[at] !== '\n') throw new Error(`No line end at ${at}: ${text.slice(at, at + 20)}`);
    at += 1;
    lines.push(line);
  }
  return lines;
}

function readCell(text: string, start: number): [string, number] {
  if (text[start] !== '"') {
    const end = start + (/[",\r\n]/.exec(text.slice(start, start + 2000))?.index ?? 0);
    if (text[end] === '"') throw new Error(`A bare quote at ${end}`);
    return [text.slice(start, end), end];
  }
  let cell = '';
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) throw new Error('A quoted cell does not end');
    cell += text.slice(at, quote);
    if (text[quote + 1] !== '"') return [cell, quote + 1];
    cell += '"';
    at = quote + 2;
  }
}
