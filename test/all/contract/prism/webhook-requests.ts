import type { Call } from './recorder.js';
import type { PrismWorld } from './world.js';

const path = '/v1/webhook_endpoints';

/**
 * Sends requests to the operations for webhook endpoints: with valid and invalid values, and more endpoints than an
 * application may have.
 */
export async function sendWebhooks({ tokens }: PrismWorld, call: Call): Promise<void> {
  const headers = { authorization: `Bearer ${tokens.application}` };
  const url = 'http://localhost:1/events';
  const created = await call('POST', path, {
    headers,
    json: { url, description: null, event_types: ['employee.created'] },
  });
  const own = `${path}/${JSON.parse(created.body).data.id}`;
  for (const suffix of ['', '/deliveries']) await call('GET', `${own}${suffix}`, { headers });
  await call('GET', path, { headers });
  await call('GET', '/v1/events?page[after]=evt_demoacme_00000001&filter[since]=2026-01-01T00:00:00Z', {
    headers,
  });
  await call('PATCH', own, { headers, json: { description: 'x' } });
  await call('PATCH', own, { headers, json: { url: 'https://127.0.0.1/' } });
  for (const suffix of ['/secrets', '/test_deliveries']) await call('POST', `${own}${suffix}`, { headers });
  await call('GET', `${own}/deliveries`, { headers });
  for (const json of [{}, { after: 'evt_demoacme_00000001' }, { after: 'evt_demoacme_zzzzzzzz' }])
    await call('POST', `${own}/resumptions`, { headers, json });
  await call('DELETE', own, { headers });
  for (let count = 0; count < 21; count += 1) await call('POST', path, { headers, json: { url } });
  const unknown = `${path}/unknown`;
  await call('PATCH', unknown, { headers, json: {} });
  await call('POST', `${unknown}/resumptions`, { headers, json: {} });
}
