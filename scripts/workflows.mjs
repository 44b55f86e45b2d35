// Runs the workflows of openapi/v1.arazzo.yaml twice against a new server with the demo data. Fails when a response differs
// from the step or from the contract. Arguments are passed to `redocly respect`: `--verbose` shows all requests and responses,
// `--workflow NAME` runs one workflow.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { authorizationCode } from './authorization-code.mjs';
import { createApplication } from './create-application.mjs';
import { demoCallback, demoPassword, withDemoServer } from './demo-server.mjs';
import { root } from './modified.mjs';

const owner = { email: 'owner@acme.example', password: demoPassword };

process.exitCode = await withDemoServer(async (base) => {
  // The demo applications do not have the scopes for webhooks.
  const { client_id, client_secret } = await createApplication(base, {
    name: 'Partner',
    scopes: ['reports:read', 'webhooks:read', 'webhooks:write'],
    ...owner,
  });
  const partner = { webhook_client_id: client_id, webhook_client_secret: client_secret };
  // Twice, because a workflow must not depend on what an earlier run has left behind.
  return (await replay(base, partner)) || (await replay(base, partner));
});

async function replay(base, partner) {
  const { code, verifier } = await authorizationCode(base, {
    clientId: 'demospa',
    redirectUri: demoCallback,
    scope: 'user:read user:write',
    ...owner,
  });
  const inputs = { ...partner, idempotency_key: randomUUID(), code, code_verifier: verifier };
  const args = [
    'openapi/v1.arazzo.yaml',
    ...['--server', JSON.stringify({ people: base })],
    ...['--input', JSON.stringify(inputs)],
    ...process.argv.slice(2),
  ];
  const respect = spawn(path.join(root, 'node_modules', '.bin', 'redocly'), ['respect', ...args], {
    cwd: root,
    env: { REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off', ...process.env },
    stdio: 'inherit',
  });
  const [status] = await once(respect, 'exit');
  return status ?? 1;
}
