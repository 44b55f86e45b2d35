import type { LightMyRequestResponse } from 'fastify';
import { createRandom } from '../support/input/random.js';
import { archivedKey } from '../support/records/marked-attributes.js';
import { markedPeople } from '../support/records/marked-people.js';
import { sendJson } from '../support/records/send-json.js';
import { createApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { accountId, archive } = await markedPeople(api, createRandom(28));
await archive(archivedKey);
const readableAttributes = ['custom.kq_note', `custom.${archivedKey}`];
const token = await api.token(await createApplication(api.database, accountId, { readableAttributes }));

t.test('a hidden or an archived key is rejected like one that does not exist', async (t) => {
  const requests: readonly ((name: string) => Promise<LightMyRequestResponse>)[] = [
    (name) => api.get(`/v1/employees?sort=${name}`, token),
    (name) => api.get(`/v1/employees?filter[${name}]=x`, token),
    (name) => api.get(`/v1/employees?filter[${name}][gte]=2026-01-01`, token),
    (name) => sendJson(api, { url: '/v1/reports', token, body: { title: 'X', columns: [name] } }),
    (name) => sendJson(api, { url: '/v1/reports', token, body: { title: 'X', group_by: [name] } }),
    (name) => sendJson(api, { url: '/v1/reports', token, body: { title: 'X', sort: [`-${name}`] } }),
    (name) =>
      sendJson(api, {
        url: '/v1/reports',
        token,
        body: { title: 'X', filters: [{ field: name, operator: 'eq', value: 'x' }] },
      }),
  ];
  for (const request of requests) {
    const answer = async (key: string) => {
      const { statusCode, body } = await request(`custom.${key}`);
      return [statusCode, body.replaceAll(key, 'KEY').replace(/"request_id":"[^"]*"/, '')];
    };
    const unknown = await answer('kq_absent');
    t.equal(unknown[0], 400);
    for (const key of ['kq_salary', 'kq_level', archivedKey]) t.same(await answer(key), unknown, key);
  }
});
