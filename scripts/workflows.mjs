// Runs the workflows of openapi/v1.arazzo.yaml against a new server with the demo data. Fails when a response differs
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

process.exitCode = await withDemoServer(async (base) => {
  const { code, verifier } = await authorizationCode(base, {
    clientId: 'demospa',
    redirectUri: demoCallback,
    scope: 'user:read user:write',
    email: 'owner@acme.example',
    password: demoPassword,
  });
  // The demo applications do not have the scopes for webhooks.
  const { client_id, client_secret } = await createApplication(base, {
    name: 'Partner',
    scopes: ['reports:read', 'webhooks:read', 'webhooks:write'],
    email: 'owner@acme.example',
    password: demoPassword,
  });
  const inputs = {
    ...{ idempotency_key: randomUUID(), code, code_verifier: verifier },
    ...{ webhook_client_id: client_id, webhook_client_secret: client_secret },
  };
  return replay(base, inputs);
});

async function replay(base, inputs) {
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
