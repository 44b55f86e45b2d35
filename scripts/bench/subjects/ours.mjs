import path from 'node:path';
import { requestBytes } from '../load/connection.mjs';
import { baseUrl, packageRoot } from '../root.mjs';
import { startSubject } from './subject.mjs';

/** Seals what a database of the bench holds; such a database lives for one run. */
export const appSecret = 'a secret that only the databases of the bench are sealed with';

/** Everything that the applications of the bench may do, as forms carry it. */
const scope = 'reports%3Aread+reports%3Awrite+user%3Aread+user%3Awrite';

/**
 * Starts the server as it is deployed, with every guarantee on; only requests and failed attempts are not limited.
 *
 * @param {{ databaseUrl: string, profileDirectory?: string, root?: string }} where root: the checkout whose build is
 *   started; this one by default
 */
export function startOurs({ databaseUrl, profileDirectory, root = packageRoot }) {
  return startSubject({
    file: path.join(root, 'dist', 'src', 'server.js'),
    cwd: root,
    nodeOptions: profileDirectory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`],
    environment: {
      DATABASE_URL: databaseUrl,
      APP_SECRET: appSecret,
      BASE_URL: baseUrl,
      ALLOW_HTTP: 'true',
      RATE_LIMIT_FAILURES: '0',
      RATE_LIMIT_API: '0',
      RATE_LIMIT_TOKEN: '0',
      LOG_LEVEL: 'info',
    },
  });
}

/** The request of the client credentials grant. */
export function tokenRequest({ clientId, clientSecret, path = '/v1/oauth/token' }) {
  return requestBytes({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `grant_type=client_credentials&scope=${scope}&${clientForm({ clientId, clientSecret })}`,
  });
}

/** The part of a form that says who the client is. */
export function clientForm({ clientId, clientSecret }) {
  return `client_id=${clientId}&client_secret=${clientSecret}`;
}
