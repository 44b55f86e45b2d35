import path from 'node:path';
import { baseUrl, packageRoot } from '../paths.js';
import { type ServerProcess, startProcess } from './process.js';

/** Encrypts the signing keys in the databases of the lab, which are temporary. */
export const appSecret = 'a secret that only the databases of the lab are encrypted with';

export interface OurServerOptions {
  readonly databaseUrl: string;
  /** Settings that differ from those of a deployment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The checkout whose build is started; this one by default. */
  readonly root?: string;
}

/**
 * Starts the built server as in a deployment, with every guarantee. Rates and the number of reports are not limited, because
 * benchmarks and trials send as many requests as possible.
 */
export function startOurs({
  databaseUrl,
  environment,
  root = packageRoot,
}: OurServerOptions): Promise<ServerProcess> {
  return startProcess({
    file: path.join(root, 'dist', 'src', 'server.js'),
    cwd: root,
    environment: {
      DATABASE_URL: databaseUrl,
      APP_SECRET: appSecret,
      BASE_URL: baseUrl,
      ALLOW_HTTP: 'true',
      RATE_LIMIT_FAILURES: '0',
      RATE_LIMIT_API: '0',
      RATE_LIMIT_TOKEN: '0',
      MAX_REPORTS_PER_ACCOUNT: '0',
      LOG_LEVEL: 'info',
      ...environment,
    },
  });
}
