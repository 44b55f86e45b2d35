import path from 'node:path';
import { ConfigError, type Environment, readEnvironment } from './environment.js';
import { sslProblem } from './postgresql-ssl.js';

/** Settings of one process, read once from the environment and never changed. `variables.ts` describes each of them. */
export type Config = Readonly<ReturnType<typeof toConfig>>;

/**
 * Reads the settings from environment variables. An empty variable counts as unset.
 *
 * @throws {ConfigError} naming every variable that is invalid or missing. Values are not repeated: some of them are secrets.
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  return readWith(rules, environment);
}

/**
 * Reads the settings of a server, which must have HTTPS addresses in production.
 *
 * @throws {ConfigError} naming every variable that is invalid or missing
 */
export function readServerConfig(environment: NodeJS.ProcessEnv): Config {
  return readWith([...rules, ...serverRules], environment);
}

function readWith(rules: readonly Rule[], environment: NodeJS.ProcessEnv): Config {
  const env = readEnvironment(environment);
  const errors = rules.map((rule) => rule(env)).filter(Boolean);
  if (errors.length > 0) throw new ConfigError(errors.join('\n'));
  return Object.freeze(toConfig(env));
}

function toConfig(env: Environment) {
  const production = isProduction(env);
  const baseUrl = env.BASE_URL ?? `http://localhost:${env.PORT}`;
  return {
    production,
    allowHttp: env.ALLOW_HTTP,
    host: env.HOST,
    port: env.PORT,
    baseUrl,
    errorsUrl: env.ERRORS_URL ?? `${baseUrl}/errors`,
    apiContactUrl: env.API_CONTACT_URL,
    securityContactUrl: env.SECURITY_CONTACT_URL,
    databaseUrl: env.DATABASE_URL,
    directDatabaseUrl: env.DIRECT_DATABASE_URL,
    replicaDatabaseUrls: env.REPLICA_DATABASE_URLS,
    recordWrites: env.REPLICA_DATABASE_URLS.length > 0,
    allowUnisolated: env.ALLOW_UNISOLATED,
    dataDir: env.DATA_DIR,
    appSecret: env.APP_SECRET,
    previousAppSecret: env.APP_SECRET_PREVIOUS,
    demoData: env.DEMO_DATA ?? (!production && env.DATABASE_URL === undefined),
    accessTokenTtlSeconds: env.ACCESS_TOKEN_TTL,
    refreshTokenTtlSeconds: env.REFRESH_TOKEN_TTL,
    authorizationCodeTtlSeconds: env.AUTHORIZATION_CODE_TTL,
    replayLeewaySeconds: env.REPLAY_LEEWAY,
    rateLimitFailures: env.RATE_LIMIT_FAILURES,
    trustedProxies: env.TRUSTED_PROXIES,
    maxConnections: env.MAX_CONNECTIONS,
    shutdownNoticeSeconds: env.SHUTDOWN_NOTICE,
    rateLimitApi: env.RATE_LIMIT_API,
    rateLimitToken: env.RATE_LIMIT_TOKEN,
    maxReportsPerAccount: env.MAX_REPORTS_PER_ACCOUNT,
    eventRetentionDays: env.EVENT_RETENTION_DAYS,
    historyRetentionDays: env.HISTORY_RETENTION_DAYS,
    maxIdempotencyKeys: env.MAX_IDEMPOTENCY_KEYS,
    redisUrl: env.REDIS_URL,
    consoleClientId: env.CONSOLE_CLIENT_ID,
    allowPrivateIdentityProviders: env.ALLOW_PRIVATE_IDENTITY_PROVIDERS || !production,
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM ?? `no-reply@${new URL(baseUrl).hostname}`,
    outboxDirectory: production ? undefined : path.join(env.DATA_DIR, 'outbox'),
    logLevel: env.LOG_LEVEL,
    logFormat: env.LOG_FORMAT,
    slowRequestMs: env.SLOW_REQUEST_MS,
    metricsPort: env.METRICS_PORT,
    metricsHost: env.METRICS_HOST,
    tracing: env.TRACING,
  };
}

/** A rule for several variables: names the invalid one and states its valid values. */
type Rule = (environment: Environment) => string | false | undefined;

const isProduction = ({ NODE_ENV }: Environment) => NODE_ENV === 'production';

/** Rules for the server and the command line. */
const rules: readonly Rule[] = [
  (env) =>
    isProduction(env) &&
    env.APP_SECRET === undefined &&
    'APP_SECRET is required when NODE_ENV=production: set it to at least 32 random characters',
  ({ APP_SECRET, APP_SECRET_PREVIOUS }) =>
    APP_SECRET !== undefined &&
    APP_SECRET === APP_SECRET_PREVIOUS &&
    'APP_SECRET_PREVIOUS must not be APP_SECRET: omit it once the secret is changed',
  (env) =>
    isProduction(env) &&
    env.DEMO_DATA === true &&
    'DEMO_DATA must not be true when NODE_ENV=production: its passwords are public',
  ({ DATABASE_URL, DIRECT_DATABASE_URL }) =>
    DIRECT_DATABASE_URL !== undefined &&
    DATABASE_URL === undefined &&
    'DIRECT_DATABASE_URL must not be set without DATABASE_URL: it is a second URL of the same database',
  ({ DATABASE_URL, REPLICA_DATABASE_URLS }) =>
    REPLICA_DATABASE_URLS.length > 0 &&
    DATABASE_URL === undefined &&
    'REPLICA_DATABASE_URLS must not be set without DATABASE_URL: its servers are standbys of that database',
  (env) => sslRule(env, 'DATABASE_URL'),
  (env) => sslRule(env, 'DIRECT_DATABASE_URL'),
  (env) => sslRule(env, 'REPLICA_DATABASE_URLS'),
  ({ METRICS_PORT, PORT }) =>
    METRICS_PORT === PORT && 'METRICS_PORT must not be PORT: metrics are not public',
];

/** Rules for the server only. Without HTTPS, passwords, tokens and cookies are sent in the clear. */
const serverRules: readonly Rule[] = [
  (env) =>
    isProduction(env) &&
    env.DATABASE_URL === undefined &&
    !env.ALLOW_EMBEDDED &&
    'DATABASE_URL is required when NODE_ENV=production: set it, or set ALLOW_EMBEDDED=true to use the embedded database, which serves one process',
  (env) => httpsRule(env, 'BASE_URL', env.BASE_URL ?? 'http://localhost'),
  // Its default starts with BASE_URL.
  (env) => env.ERRORS_URL !== undefined && httpsRule(env, 'ERRORS_URL', env.ERRORS_URL),
];

function sslRule(
  env: Environment,
  name: 'DATABASE_URL' | 'DIRECT_DATABASE_URL' | 'REPLICA_DATABASE_URLS',
): string | undefined {
  const urls = [env[name] ?? []].flat();
  const problem = urls.map(sslProblem).find((each) => each !== undefined);
  return problem && `${name}: ${problem}`;
}

function httpsRule(env: Environment, name: keyof Environment, value: string): string | false {
  const needsHttps = isProduction(env) && !env.ALLOW_HTTP && !value.startsWith('https://');
  return (
    needsHttps &&
    `${name} must start with https:// when NODE_ENV=production: set it to the public address, or set ALLOW_HTTP=true to serve without HTTPS`
  );
}
