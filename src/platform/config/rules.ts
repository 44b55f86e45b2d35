import type { Environment } from './environment.js';
import { sslProblem } from './postgresql-ssl.js';

/** A rule for several variables: names the invalid one and states its valid values, or returns `undefined`. */
export type Rule = (environment: Environment) => string | undefined;

const isProduction: (environment: Environment) => boolean = ({ NODE_ENV }) => NODE_ENV === 'production';

/** Rules for the server and the command line. */
export const rules: readonly Rule[] = [
  (env) =>
    isProduction(env) && env.APP_SECRET === undefined
      ? 'APP_SECRET is required when NODE_ENV=production: set it to at least 32 random characters'
      : undefined,
  ({ APP_SECRET, APP_SECRET_PREVIOUS }) =>
    APP_SECRET !== undefined && APP_SECRET === APP_SECRET_PREVIOUS
      ? 'APP_SECRET_PREVIOUS must not be APP_SECRET: omit it once the secret is changed'
      : undefined,
  (env) =>
    isProduction(env) && env.DEMO_DATA === true
      ? 'DEMO_DATA must not be true when NODE_ENV=production: its passwords are public'
      : undefined,
  ({ DATABASE_URL, DIRECT_DATABASE_URL }) =>
    DIRECT_DATABASE_URL !== undefined && DATABASE_URL === undefined
      ? 'DIRECT_DATABASE_URL must not be set without DATABASE_URL: it is a second URL of the same database'
      : undefined,
  ({ DATABASE_URL, REPLICA_DATABASE_URLS }) =>
    REPLICA_DATABASE_URLS.length > 0 && DATABASE_URL === undefined
      ? 'REPLICA_DATABASE_URLS must not be set without DATABASE_URL: its servers are standbys of that database'
      : undefined,
  (env) => sslRule(env, 'DATABASE_URL'),
  (env) => sslRule(env, 'DIRECT_DATABASE_URL'),
  (env) => sslRule(env, 'REPLICA_DATABASE_URLS'),
  ({ METRICS_PORT, PORT }) =>
    METRICS_PORT !== undefined && METRICS_PORT === PORT
      ? 'METRICS_PORT must not be PORT: metrics are not public'
      : undefined,
];

/**
 * Rules for the server only, which the command line does not need. Without HTTPS, passwords, tokens and cookies are sent
 * in the clear.
 */
export const serverRules: readonly Rule[] = [
  (env) => httpsRule(env, 'BASE_URL', env.BASE_URL ?? 'http://localhost'),
  // Its default starts with BASE_URL.
  (env) => env.ERRORS_URL && httpsRule(env, 'ERRORS_URL', env.ERRORS_URL),
];

function sslRule(
  env: Environment,
  name: 'DATABASE_URL' | 'DIRECT_DATABASE_URL' | 'REPLICA_DATABASE_URLS',
): string | undefined {
  const problem = [env[name] ?? []]
    .flat()
    .map(sslProblem)
    .find((each) => each !== undefined);
  return problem && `${name}: ${problem}`;
}

function httpsRule(env: Environment, name: keyof Environment, value: string): string | undefined {
  if (!isProduction(env) || env.ALLOW_HTTP || value.startsWith('https://')) return undefined;
  return `${name} must start with https:// when NODE_ENV=production: set it to the public address, or set ALLOW_HTTP=true to serve without HTTPS`;
}
