import { contract } from '../../../support/server/app.js';
import { sendAuthorizations, sendGrants } from './oauth-requests.js';
import type { Call, Recorder } from './recorder.js';
import { sendWebhooks } from './webhook-requests.js';
import type { PrismWorld } from './world.js';

/**
 * Sends requests that a random generator would not create: complete grants, conditional requests, and each documented
 * rejection.
 */
export async function sendMadeRequests(world: PrismWorld, recorder: Recorder): Promise<void> {
  const { call } = recorder;
  await sendGrants(world, call);
  await sendAuthorizations(world, call);
  await sendReports(world, call);
  await sendWebhooks(world, call);
  await sendUnstorable(world, call);
  await sendLists(world, call);
  await sendRejected(world, call);
}

async function sendReports({ tokens }: PrismWorld, call: Call): Promise<void> {
  const headers = { authorization: `Bearer ${tokens.application}` };
  const reports = [
    { title: 'Everyone' },
    { title: 'Names', columns: ['last_name', 'first_name'], sort: ['-last_name', 'id'], description: null },
    { title: 'Headcount', group_by: ['department'], sort: ['-count'] },
    {
      title: 'Measures',
      group_by: ['employed_month', 'tenure_band'],
      measures: [
        { function: 'average', field: 'tenure' },
        { function: 'maximum', field: 'hire_date' },
      ],
      sort: ['-average_tenure'],
    },
    { title: 'Active', filters: [{ field: 'status', operator: 'in', value: ['active', 'on_leave'] }] },
    { title: 'A', filters: [{ field: 'last_name', operator: 'starts_with', value: 'a' }] },
  ];
  for (const [index, json] of reports.entries()) {
    const key = { ...headers, 'idempotency-key': `prism-${index}` };
    const created = await call('POST', '/v1/reports', { headers: key, json });
    await call('POST', '/v1/reports', { headers: key, json });
    await call('POST', '/v1/reports', { headers: key, json: { title: 'Another' } });
    const path = `/v1/reports/${JSON.parse(created.body).data.id}`;
    const etag = created.headers.get('etag') ?? '';
    await call('GET', path, { headers });
    await call('GET', path, { headers: { ...headers, 'if-none-match': etag } });
    for (const accept of ['application/json', 'text/csv']) {
      await call('GET', `${path}/results`, { headers: { ...headers, accept } });
      await call('GET', `${path}/results.csv`, { headers: { ...headers, accept } });
    }
    await call('GET', `${path}/results?page[size]=2&page[number]=2`, { headers });
    await call('PATCH', path, { headers: { ...headers, 'if-match': etag }, json: { title: 'Renamed' } });
    await call('PATCH', path, { headers: { ...headers, 'if-match': etag }, json: { title: 'Again' } });
    await call('DELETE', path, { headers: { ...headers, 'if-match': etag } });
    await call('DELETE', path, { headers: { ...headers, 'if-match': '*' } });
    for (const method of ['GET', 'DELETE']) await call(method, path, { headers });
  }
}

/** A text that JSON can contain and the database cannot store. */
async function sendUnstorable({ tokens }: PrismWorld, call: Call): Promise<void> {
  const headers = { authorization: `Bearer ${tokens.application}` };
  const filters = [{ field: 'last_name', operator: 'starts_with', value: 'a\u0000' }];
  await call('POST', '/v1/reports', { headers, json: { title: 'A', filters } });
  await call('POST', '/v1/reports', { headers, json: { title: 'A', description: 'a\u0000' } });
}

async function sendLists({ tokens, server }: PrismWorld, call: Call): Promise<void> {
  const headers = { authorization: `Bearer ${tokens.user}` };
  for (const start of ['/v1/employees?page[size]=60&sort=-last_name', '/v1/reports?page[size]=1']) {
    for (let next: string | null = start; next !== null; ) {
      const { links } = JSON.parse((await call('GET', next, { headers })).body);
      next = links.next === null ? null : (links.next as string).slice(server.baseUrl.length);
    }
    const { meta } = JSON.parse((await call('GET', start, { headers })).body);
    await call('GET', `${start}&page[after]=${meta.next_cursor ?? 'none'}`, { headers });
    await call('GET', `${start}&page[number]=3&page[after]=${meta.next_cursor ?? 'none'}`, { headers });
  }
  for (const filter of ['status', 'department', 'employee_number', 'email']) {
    const { data } = JSON.parse((await call('GET', '/v1/employees?page[size]=1', { headers })).body);
    const value = encodeURIComponent(data[0].attributes[filter]);
    await call('GET', `/v1/employees?filter[${filter}]=${value}`, { headers });
    await call('GET', `/v1/employees/${data[0].id}`, { headers });
    await call('GET', `/v1/employees/${data[0].id}`, { headers: { ...headers, 'if-none-match': '*' } });
  }
  await call('GET', '/v1/employees?filter[status]=', { headers });
  await call('PATCH', '/v1/users/me', { headers, json: { nickname: 'Sa\u0000m' } });
  await call('PATCH', '/v1/users/me', { headers, json: { nickname: 'Sam', zoneinfo: 'Europe/Berlin' } });
  await call('PATCH', '/v1/users/me', { headers, json: { zoneinfo: 'Europe/Nowhere' } });
  await call('PATCH', '/v1/users/me', { headers, json: { nickname: null } });
  await call('GET', '/v1/users/me', { headers });
  await call('GET', '/v1/users/me', { headers: { ...headers, 'if-none-match': '*' } });
}

/** Invalid inputs of every operation for its documented 4xx statuses. */
async function sendRejected({ tokens }: PrismWorld, call: Call): Promise<void> {
  for (const { method, path: template, scopes, body } of contract.operations.values()) {
    const path = template.replace(/\{\w+\}/, 'unknown');
    const good = body === null ? {} : { json: goodBody(template) };
    const large = { body: `"${'x'.repeat(70_000)}"` };
    if (scopes === null) {
      if (body === null) await call(method, `${path}?colour=red`);
      else {
        await call(method, path, { form: {} });
        await call(method, path, { ...large, form: {} });
      }
      continue;
    }
    const headers = { authorization: `Bearer ${tokens.user}` };
    const [other = ''] = Object.keys(contract.scopes).filter((scope) => !scopes.includes(scope));
    await call(method, path, good);
    await call(method, path, { ...good, headers: { authorization: 'Basic eDp5' } });
    await call(method, path, { ...good, headers: { authorization: 'Bearer unknown' } });
    await call(method, path, { ...good, headers: { authorization: `Bearer ${tokens.limited[other]}` } });
    await call(method, path, { ...good, headers: { authorization: `Bearer ${tokens.application}` } });
    await call(method, path, { ...good, headers });
    await call(method, `${path}?colour=red`, { ...good, headers });
    if (body === null) continue;
    await call(method, path, { headers: { ...headers, 'content-type': 'text/plain' }, body: '{}' });
    await call(method, path, { headers, json: {} });
    await call(method, path, { headers, json: { colour: 'red' } });
    await call(method, path, { headers, ...large });
  }
}

/** A body that an operation accepts, by the path of the operation. */
function goodBody(path: string): object {
  if (path.includes('users')) return { nickname: 'X' };
  if (path === '/v1/webhook_endpoints') return { url: 'http://localhost:1/events' };
  return path.includes('webhook_endpoints') ? {} : { title: 'X' };
}
