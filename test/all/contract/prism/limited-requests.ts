import { contract } from '../../../support/server/app.js';
import type { DemoServer } from '../../../support/server/demo-server.js';
import { goodBody } from './good-bodies.js';
import type { Recorder } from './recorder.js';

/** Sends two requests to every operation of a server that allows one per minute and no further report. */
export async function sendBeyondLimits({ api, backend }: DemoServer, recorder: Recorder): Promise<void> {
  const { clientId: client_id, clientSecret: client_secret } = backend;
  const headers = { authorization: `Bearer ${await api.token(backend)}` };
  // First, because the only request that the application may send is for the limit of reports.
  await recorder.send({
    label: 'beyond the limit of reports',
    method: 'POST',
    path: '/v1/reports',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'X' }),
  });
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    token: 'x',
    client_id,
    client_secret,
  });
  const authorization = new URLSearchParams({
    response_type: 'code',
    client_id: 'unknown',
    redirect_uri: 'http://localhost:8080/callback',
    scope: 'user:read',
    state: 'x',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  });
  for (const { id, method, path, scopes, body } of contract.operations.values()) {
    const [type = ''] = body?.mediaTypes ?? [];
    const json = JSON.stringify(goodBody(path));
    const request = {
      label: 'beyond the rate limit',
      method,
      path: id === 'authorize' ? `${path}?${authorization}` : path.replace(/\{\w+\}/, 'unknown'),
      headers: {
        ...(scopes !== null && headers),
        ...(body !== null && { 'content-type': type }),
      } as Record<string, string>,
      ...(body !== null && { body: type === 'application/json' ? json : form.toString() }),
    };
    for (const _ of [1, 2]) await recorder.send(request);
  }
}
