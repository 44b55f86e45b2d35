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

/** @param settings pipeline: whether statements are sent before the last one has its result */
export function startLimit({ url }: Database, { pipeline }: { pipeline: boolean }): Promise<ServerProcess> {
  return startBaseline('limit/server.ts', { DATABASE_URL: url, PIPELINE: String(pipeline) });
}

export function startConstant(body: Buffer): Promise<ServerProcess> {
  return startBaseline('constant.ts', { BODY: body.toString('base64') });
}

export interface ExpressSettings {
  /** How the number of records is found. */
  readonly count: 'all' | 'maintained';
  readonly validateResponses?: boolean;
}

/** @param settings keys: with which bearer tokens are verified */
export function startExpress(
  { url }: Database,
  { keys, count, validateResponses = false }: ExpressSettings & { keys: JSONWebKeySet },
): Promise<ServerProcess> {
  return startBaseline('express/server.ts', {
    DATABASE_URL: url,
    KEYS: JSON.stringify(keys),
    COUNT: count,
    VALIDATE_RESPONSES: String(validateResponses),
  });
}

export function startOidcProvider(clients: readonly Tenant[]): Promise<ServerProcess> {
  return startBaseline('oidc-provider.ts', { CLIENTS: JSON.stringify(clients) });
}
