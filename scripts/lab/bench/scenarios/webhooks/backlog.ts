import { setTimeout as wait } from 'node:timers/promises';
import { type Database, query, withClient } from '../../../kit/database/postgresql.js';
import { tenant } from '../../../kit/database/tenants.js';
import { HttpClient, jsonOf } from '../../../kit/http/client.js';
import { clientCredentials, sendJson } from '../../../kit/http/requests.js';
import type { ServerProcess } from '../../../kit/server/process.js';

const scopes = ['reports:read', 'webhooks:read', 'webhooks:write'];

/** Milliseconds after which endpoints without pending events get some events again. */
const refillMs = 200;

/**
 * Creates an endpoint without pending events for every account. One is created through the API, and the others are copies of
 * it.
 */
export async function createEndpoints({ port }: ServerProcess, database: Database, url: string) {
  await query(database.url, 'DELETE FROM webhook_endpoints');
  await query(database.url, 'UPDATE applications SET scopes = $1', [scopes]);
  const client = new HttpClient(port);
  const owner = tenant(1);
  const token = jsonOf(await client.send(clientCredentials(owner, scopes.join(' ')))).access_token;
  const response = await client.send(sendJson('POST', '/v1/webhook_endpoints', token, { url }));
  client.close();
  if (response.status !== 201) throw new Error(`The endpoint was not created: ${response.body}`);
  await query(
    database.url,
    `INSERT INTO webhook_endpoints
       (account_id, id, application_id, url, sealed_secret, position, created_at, updated_at)
     SELECT application.account_id, 'endpoint', application.id, model.url, model.sealed_secret, totals.events, now(), now()
     FROM webhook_endpoints AS model, applications AS application
     JOIN account_totals AS totals ON totals.account_id = application.account_id
     WHERE application.account_id <> model.account_id`,
  );
}

/**
 * Repeatedly moves every endpoint back by some events.
 *
 * @param events of each delivery
 * @returns stops it, and resolves when no endpoint has pending events
 */
export async function startBacklog({ url }: Database, events: number): Promise<() => Promise<void>> {
  // Otherwise the start of autovacuum would be unpredictable.
  await query(url, 'VACUUM (ANALYZE) webhook_endpoints, webhook_attempts');
  let isStopped = false;
  const refilled = withClient(url, async (client) => {
    while (!isStopped) {
      await client.query(
        `UPDATE webhook_endpoints AS endpoint SET position = totals.events - $1, due_at = now()
         FROM account_totals AS totals
         WHERE totals.account_id = endpoint.account_id AND endpoint.due_at IS NULL AND endpoint.paused_at IS NULL`,
        [events],
      );
      await wait(refillMs);
    }
    const waiting = 'SELECT count(*)::int AS due FROM webhook_endpoints WHERE due_at IS NOT NULL';
    while ((await client.query(waiting)).rows[0].due > 0) await wait(refillMs);
  });
  return () => {
    isStopped = true;
    return refilled;
  };
}
