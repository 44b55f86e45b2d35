import path from 'node:path';
import { ConfigError, type Environment, readEnvironment } from './environment.js';
import { type Rule, rules, serverRules } from './rules.js';

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
  const errors = rules.map((rule) => rule(env)).filter((error) => error !== undefined);
  if (errors.length > 0) throw new ConfigError(errors.join('\n'));
  return Object.freeze(toConfig(env));
}

function toConfig(env: Environment) {
  const production = env.NODE_ENV === 'production';
  const baseUrl = env.BASE_URL ?? `http://localhost:${env.PORT}`;
  return {
    production,
    allowHttp: env.ALLOW_HTTP,
    host: env.HOST,
    port: env.PORT,
    baseUrl,
    errorsUrl: env.ERRORS_URL ?? `${baseUrl}/errors`,
    apiContactUrl: env.API_CONTACT_URL,
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
    maxIdempotencyKeys: env.MAX_IDEMPOTENCY_KEYS,
    redisUrl: env.REDIS_URL,
    consoleClientId: env.CONSOLE_CLIENT_ID,
    allowPrivateIdentityProviders: env.ALLOW_PRIVATE_IDENTITY_PROVIDERS || !production,
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM ?? `no-reply@${new URL(baseUrl).hostname}`,
    outboxDirectory: production ? undefined : path.join(env.DATA_DIR, 'outbox'),
    logLevel: env.LOG_LEVEL,
    slowRequestMs: env.SLOW_REQUEST_MS,
    metricsPort: env.METRICS_PORT,
    metricsHost: env.METRICS_HOST,
    tracing: env.TRACING,
  };
}
