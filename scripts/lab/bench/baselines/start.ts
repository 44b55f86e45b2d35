import path from 'node:path';
import type { JSONWebKeySet } from 'jose';
import type { Database } from '../../kit/database/postgresql.js';
import type { Tenant } from '../../kit/database/tenants.js';
import { labRoot, typescriptOptions } from '../../kit/paths.js';
import { type ServerProcess, startProcess } from '../../kit/server/process.js';

function startBaseline(name: string, environment: Record<string, string>): Promise<ServerProcess> {
  const file = path.join(labRoot, 'bench', 'baselines', name);
  return startProcess({ file, cwd: labRoot, environment, nodeOptions: typescriptOptions });
}

export function startLimit({ url }: Database): Promise<ServerProcess> {
  return startBaseline('limit/server.ts', { DATABASE_URL: url });
}

/** @param keys public keys that verify bearer tokens */
export function startExpress({ url }: Database, keys: JSONWebKeySet): Promise<ServerProcess> {
  return startBaseline('express/server.ts', { DATABASE_URL: url, KEYS: JSON.stringify(keys) });
}

export function startOidcProvider(clients: readonly Tenant[]): Promise<ServerProcess> {
  return startBaseline('oidc-provider.ts', { CLIENTS: JSON.stringify(clients) });
}

/** Starts a server that receives webhooks. */
export function startReceiver(): Promise<ServerProcess> {
  return startBaseline('webhooks/receiver.ts', {});
}

/** Starts the process that sends recorded webhooks. */
export function startSender(): Promise<ServerProcess> {
  return startBaseline('webhooks/sender.ts', {});
}
