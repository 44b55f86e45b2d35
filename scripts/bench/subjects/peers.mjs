import path from 'node:path';
import { benchRoot } from '../root.mjs';
import { startSubject } from './subject.mjs';

function startPeer(name, environment) {
  return startSubject({ file: path.join(benchRoot, 'peers', name), cwd: benchRoot, environment });
}

/**
 * Fastify and the driver, by hand.
 *
 * @param {{ url: string }} database
 * @param {{ pipeline: boolean }} settings pipeline: whether statements follow each other without waiting
 */
export function startLimit({ url }, { pipeline }) {
  return startPeer('limit/server.mjs', { DATABASE_URL: url, PIPELINE: String(pipeline) });
}

/** Node's HTTP server with one answer for everything. */
export function startConstant(body) {
  return startPeer('constant.mjs', { BODY: body.toString('base64') });
}

/**
 * Express with a validator for our contract, Prisma and jose.
 *
 * @param {{ url: string }} database
 * @param {{ keys: object, count: 'all' | 'kept', validateResponses?: boolean }} settings keys: of the bearer tokens
 */
export function startExpress({ url }, { keys, count, validateResponses = false }) {
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
