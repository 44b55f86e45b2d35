import path from 'node:path';
import { benchRoot } from '../root.mjs';
import { startSubject } from './subject.mjs';

function startPeer(name, environment) {
  return startSubject({ file: path.join(benchRoot, 'peers', name), cwd: benchRoot, environment });
}

/** Fastify and the driver, by hand. */
export function startLimit({ url }) {
  return startPeer('limit/server.mjs', { DATABASE_URL: url });
}

/** Node's HTTP server with one answer for everything. */
export function startConstant(body) {
  return startPeer('constant.mjs', { BODY: body.toString('base64') });
}

/**
 * Express with a validator for our contract, Prisma and jose.
 *
 * @param {{ url: string }} database
 * @param {{ keys: object, count: 'all' | 'kept', validateResponses: boolean }} settings keys: of the bearer tokens
 */
export function startExpress({ url }, { keys, count, validateResponses }) {
  return startPeer('express/server.mjs', {
    DATABASE_URL: url,
    KEYS: JSON.stringify(keys),
    COUNT: count,
    VALIDATE_RESPONSES: String(validateResponses),
  });
}

/** The authorization server of panva/node-oidc-provider, with everything in memory. */
export function startOidcProvider(clients) {
  return startPeer('oidc-provider.mjs', { CLIENTS: JSON.stringify(clients) });
}
