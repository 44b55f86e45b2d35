import { authorizationRequest, grantCode, signedInBrowser } from '../../../support/oauth/users.js';
import { contract } from '../../../support/server/app.js';
import type { Call, Headers } from './recorder.js';
import type { PrismWorld } from './world.js';

/** Every grant with its refreshes and revocations, and the rejected requests of each endpoint. */
export async function sendGrants({ server, scene, confidential }: PrismWorld, call: Call): Promise<void> {
  const { clientId: client_id, clientSecret: client_secret } = confidential;
  const token = (form: Headers, headers: Headers = {}) => call('POST', '/v1/oauth/token', { form, headers });
  const basic = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
  const grant_type = 'client_credentials';
  const issued = await token({ grant_type, client_id, client_secret });
  await token({ grant_type }, { authorization: basic });
  for (const scope of Object.keys(contract.scopes))
    await token({ grant_type, client_id, client_secret, scope });
  const { form } = await grantCode(server.api, scene);
  const first = JSON.parse((await token(form)).body);
  const refresh = { grant_type: 'refresh_token', client_id: scene.application.clientId };
  const second = JSON.parse((await token({ ...refresh, refresh_token: first.refresh_token })).body);
  await token({ ...refresh, refresh_token: second.refresh_token, scope: 'user:read' });
  const revoke = (fields: Headers) => call('POST', '/v1/oauth/revoke', { form: fields });
  await revoke({ token: JSON.parse(issued.body).access_token, client_id, client_secret });
  await revoke({ token: second.access_token, client_id: scene.application.clientId });
  for (const accept of ['*/*', 'application/problem+json']) {
    await token({ grant_type, client_id, client_secret: 'wrong' }, { accept });
    await token({ grant_type: 'password', client_id, client_secret }, { accept });
    await token({ grant_type, client_id, client_secret, scope: 'admin' }, { accept });
    await call('POST', '/v1/oauth/revoke', { form: { token: 'x', client_id, client_secret: 'wrong' } });
  }
  await token({ ...refresh, refresh_token: 'unknown' });
  await token({ grant_type: 'authorization_code', client_id: scene.application.clientId });
}

/** The authorization endpoint with and without a session, and with invalid parameters. */
export async function sendAuthorizations({ server, scene }: PrismWorld, call: Call): Promise<void> {
  const browser = await signedInBrowser(server.api, scene.user);
  const signedIn = { cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; ') };
  const open = (changes: Headers, headers: Headers) =>
    call('GET', authorizationRequest(scene, changes).url, { headers });
  for (const accept of ['text/html', '*/*']) {
    await open({}, { ...signedIn, accept });
    await open({}, { accept });
    await open({ redirect_uri: 'https://elsewhere.example/' }, { accept });
    await open({ client_id: 'unknown' }, { accept });
    await open({ code_challenge_method: 'plain' }, { accept });
    await open({ client_id: 'globexbackend' }, { ...signedIn, accept });
  }
}
