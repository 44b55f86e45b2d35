import { isIP } from 'node:net';
import { Ajv } from 'ajv';
import { baseUrlRule, webAddressRule, withoutTrailingSlashes } from './base-url.js';

/** Settings of one process, read once from the environment and never changed afterwards. */
export interface Config {
  readonly production: boolean;
  /** Whether a server in production may have addresses without https. */
  readonly allowHttp: boolean;
  readonly host: string;
  readonly port: number;
  /** Issuer, token audience and prefix of every absolute link; no trailing slash. */
  readonly baseUrl: string;
  /** Prefix of problem `type` URIs; no trailing slash. */
  readonly errorsUrl: string;
  /** Where users of the API find help; part of the published contract. */
  readonly apiContactUrl: string | undefined;
  /** Absent: the embedded database under {@link Config.dataDir} is used. */
  readonly databaseUrl: string | undefined;
  /** URL of the same database that bypasses a connection pooler, for migrations. Absent: {@link Config.databaseUrl}. */
  readonly directDatabaseUrl: string | undefined;
  /** Whether a server in production may start when row-level security does not apply to its database user. */
  readonly allowUnisolated: boolean;
  readonly dataDir: string;
  /** Absent: generated once under {@link Config.dataDir}. */
  readonly appSecret: string | undefined;
  /** A second secret that is accepted while `APP_SECRET` is changed. */
  readonly previousAppSecret: string | undefined;
  readonly demoData: boolean;
  readonly accessTokenTtlSeconds: number;
  readonly refreshTokenTtlSeconds: number;
  readonly authorizationCodeTtlSeconds: number;
  readonly replayLeewaySeconds: number;
  /** Failed client authentications and sign-ins that are allowed in a minute; 0 allows any number. */
  readonly rateLimitFailures: number;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is believed; none: nobody's is. */
  readonly trustedProxies: readonly string[];
  /** Connections that are open at the same time before new ones are dropped. */
  readonly maxConnections: number;
  /** How long the server says that it is not ready before it takes no more connections. */
  readonly shutdownNoticeSeconds: number;
  /** Calls that an application may make in a minute; 0 allows any number. */
  readonly rateLimitApi: number;
  /** Calls of the token and revocation endpoints that a client may make in a minute; 0 allows any number. */
  readonly rateLimitToken: number;
  /** Saved reports that an account may have; 0 allows any number. */
  readonly maxReportsPerAccount: number;
  /** Idempotency keys that an application may have; 0 allows any number. */
  readonly maxIdempotencyKeys: number;
  /** Where calls and failures are counted. Absent: in the database. */
  readonly redisUrl: string | undefined;
  readonly logLevel: LogLevel;
  /** Duration from which every request is logged. */
  readonly slowRequestMs: number;
  /** Where metrics are served. Absent: nothing is measured. */
  readonly metricsPort: number | undefined;
  readonly metricsHost: string;
  /** Whether spans are made of requests and statements. */
  readonly tracing: boolean;
}

export type LogLevel = (typeof logLevels)[number];

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** A wrong or missing setting; the message is one line that names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const callsAMinute = { type: 'integer', minimum: 0, maximum: 1_000_000 } as const;

const quota = { type: 'integer', minimum: 0, maximum: 1_000_000_000 } as const;
const secret = { type: 'string', minLength: 32 } as const;

const seconds = { type: 'integer', minimum: 1, maximum: 31_536_000 } as const;

const postgresqlUrl = { type: 'string', pattern: '^postgres(ql)?://' } as const;

const environmentSchema = {
  type: 'object',
  properties: {
    NODE_ENV: { type: 'string' },
    ALLOW_HTTP: { type: 'boolean', default: false },
    HOST: { type: 'string', minLength: 1, default: '127.0.0.1' },
    PORT: { type: 'integer', minimum: 0, maximum: 65_535, default: 3000 },
    BASE_URL: { type: 'string', minLength: 1 },
    ERRORS_URL: { type: 'string', minLength: 1 },
    API_CONTACT_URL: { type: 'string', minLength: 1 },
    DATABASE_URL: postgresqlUrl,
    DIRECT_DATABASE_URL: postgresqlUrl,
    ALLOW_UNISOLATED: { type: 'boolean', default: false },
    DATA_DIR: { type: 'string', minLength: 1, default: '.data' },
    APP_SECRET: secret,
    APP_SECRET_PREVIOUS: secret,
    DEMO_DATA: { type: 'boolean' },
    ACCESS_TOKEN_TTL: { ...seconds, maximum: 86_400, default: 3600 },
    REFRESH_TOKEN_TTL: { ...seconds, default: 2_592_000 },
    AUTHORIZATION_CODE_TTL: { ...seconds, maximum: 600, default: 300 },
    REPLAY_LEEWAY: { type: 'integer', minimum: 0, maximum: 300, default: 10 },
    TRUSTED_PROXIES: { type: 'string' },
    MAX_CONNECTIONS: { type: 'integer', minimum: 1, maximum: 1_000_000, default: 10_000 },
    SHUTDOWN_NOTICE: { type: 'integer', minimum: 0, maximum: 300, default: 0 },
    RATE_LIMIT_FAILURES: { ...callsAMinute, default: 10 },
    RATE_LIMIT_API: { ...callsAMinute, default: 3000 },
    RATE_LIMIT_TOKEN: { ...callsAMinute, default: 600 },
    MAX_REPORTS_PER_ACCOUNT: { ...quota, default: 10_000 },
    MAX_IDEMPOTENCY_KEYS: { ...quota, default: 100_000 },
    REDIS_URL: { type: 'string', minLength: 1 },
    LOG_LEVEL: { enum: logLevels, default: 'info' },
    SLOW_REQUEST_MS: { type: 'integer', minimum: 1, maximum: 3_600_000, default: 1000 },
    METRICS_PORT: { type: 'integer', minimum: 1, maximum: 65_535 },
    METRICS_HOST: { type: 'string', minLength: 1, default: '127.0.0.1' },
    TRACING: { type: 'boolean', default: false },
  },
} as const;

interface Environment {
  NODE_ENV?: string;
  ALLOW_HTTP: boolean;
  HOST: string;
  PORT: number;
  BASE_URL?: string;
  ERRORS_URL?: string;
  API_CONTACT_URL?: string;
  DATABASE_URL?: string;
  DIRECT_DATABASE_URL?: string;
  ALLOW_UNISOLATED: boolean;
  DATA_DIR: string;
  APP_SECRET?: string;
  APP_SECRET_PREVIOUS?: string;
  DEMO_DATA?: boolean;
  ACCESS_TOKEN_TTL: number;
  REFRESH_TOKEN_TTL: number;
  AUTHORIZATION_CODE_TTL: number;
  REPLAY_LEEWAY: number;
  RATE_LIMIT_FAILURES: number;
  TRUSTED_PROXIES?: string;
  MAX_CONNECTIONS: number;
  SHUTDOWN_NOTICE: number;
  RATE_LIMIT_API: number;
  RATE_LIMIT_TOKEN: number;
  MAX_REPORTS_PER_ACCOUNT: number;
  MAX_IDEMPOTENCY_KEYS: number;
  REDIS_URL?: string;
  LOG_LEVEL: LogLevel;
  SLOW_REQUEST_MS: number;
  METRICS_PORT?: number;
  METRICS_HOST: string;
  TRACING: boolean;
}

const validate = new Ajv({
  coerceTypes: true,
  useDefaults: true,
  removeAdditional: true,
}).compile<Environment>({
  ...environmentSchema,
  additionalProperties: false,
});

/**
 * Reads the settings from environment variables. An empty variable counts as unset.
 *
 * @throws {ConfigError} naming the first variable that is wrong or missing. Values are never repeated:
 *   some of them are secrets.
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const given: Record<string, unknown> = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  if (!validate(given)) throw new ConfigError(describeFirstError());
  const env = given as unknown as Environment;

  const production = env.NODE_ENV === 'production';
  if (production && env.APP_SECRET === undefined) {
    throw new ConfigError(
      'APP_SECRET is required when NODE_ENV=production: set it to at least 32 random characters',
    );
  }
  if (env.APP_SECRET !== undefined && env.APP_SECRET === env.APP_SECRET_PREVIOUS) {
    throw new ConfigError(
      'APP_SECRET_PREVIOUS must not be APP_SECRET: leave it out once the secret is changed',
    );
  }
  if (production && env.DEMO_DATA === true) {
    throw new ConfigError('DEMO_DATA must not be true when NODE_ENV=production: its passwords are public');
  }
  if (env.DIRECT_DATABASE_URL !== undefined && env.DATABASE_URL === undefined) {
    throw new ConfigError(
      'DIRECT_DATABASE_URL must not be set without DATABASE_URL: it is a second URL of the same database',
    );
  }
  if (env.METRICS_PORT !== undefined && env.METRICS_PORT === env.PORT) {
    throw new ConfigError('METRICS_PORT must not be PORT: metrics are not for everybody');
  }
  const baseUrl = readUrl('BASE_URL', env.BASE_URL ?? `http://localhost:${env.PORT}`, baseUrlRule);

  return Object.freeze({
    production,
    allowHttp: env.ALLOW_HTTP,
    host: env.HOST,
    port: env.PORT,
    baseUrl,
    errorsUrl: readUrl('ERRORS_URL', env.ERRORS_URL ?? `${baseUrl}/errors`, webAddressRule),
    apiContactUrl:
      env.API_CONTACT_URL === undefined
        ? undefined
        : checkUrl('API_CONTACT_URL', env.API_CONTACT_URL, webAddressRule),
    databaseUrl: env.DATABASE_URL,
    directDatabaseUrl: env.DIRECT_DATABASE_URL,
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
    trustedProxies: readNetworks('TRUSTED_PROXIES', env.TRUSTED_PROXIES),
    maxConnections: env.MAX_CONNECTIONS,
    shutdownNoticeSeconds: env.SHUTDOWN_NOTICE,
    rateLimitApi: env.RATE_LIMIT_API,
    rateLimitToken: env.RATE_LIMIT_TOKEN,
    maxReportsPerAccount: env.MAX_REPORTS_PER_ACCOUNT,
    maxIdempotencyKeys: env.MAX_IDEMPOTENCY_KEYS,
    redisUrl: env.REDIS_URL === undefined ? undefined : readRedisUrl(env.REDIS_URL),
    logLevel: env.LOG_LEVEL,
    slowRequestMs: env.SLOW_REQUEST_MS,
    metricsPort: env.METRICS_PORT,
    metricsHost: env.METRICS_HOST,
    tracing: env.TRACING,
  });
}

/**
 * Reads the settings of a server. In production its addresses must be https: without it, passwords, tokens and cookies
 * are sent in the clear. The command line serves no requests and reads {@link readConfig}.
 *
 * @throws {ConfigError} naming the first variable that is wrong or missing
 */
export function readServerConfig(environment: NodeJS.ProcessEnv): Config {
  const config = readConfig(environment);
  if (config.production && !config.allowHttp) {
    requireHttps('BASE_URL', config.baseUrl);
    requireHttps('ERRORS_URL', config.errorsUrl);
  }
  return config;
}

function requireHttps(name: string, value: string): void {
  if (value.startsWith('https://')) return;
  throw new ConfigError(
    `${name} must start with https:// when NODE_ENV=production: set it to the public address, or set ALLOW_HTTP=true to serve without HTTPS`,
  );
}

function readUrl(name: string, value: string, rule: typeof webAddressRule): string {
  return withoutTrailingSlashes(checkUrl(name, value, rule));
}

function checkUrl(name: string, value: string, rule: typeof webAddressRule): string {
  const error = rule(value);
  if (error !== undefined) throw new ConfigError(`${name} ${error}`);
  return value;
}

function readNetworks(name: string, value = ''): string[] {
  const networks = value.split(',').map((network) => network.trim());
  const given = networks.filter((network) => network !== '');
  if (!given.every(isNetwork)) {
    throw new ConfigError(`${name} must be IP addresses or networks such as 10.0.0.0/8, separated by commas`);
  }
  return given;
}

function isNetwork(text: string): boolean {
  const [address = '', prefix] = text.split('/', 2);
  const bits = isIP(address) === 6 ? 128 : 32;
  return (
    isIP(address) !== 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
  );
}

/** The value holds a password and is not repeated. */
function readRedisUrl(value: string): string {
  const form =
    'REDIS_URL must be redis:// or rediss://, a host, and at most a port and the number of a database';
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '')
    throw new ConfigError(form);
  if (!/^(\/\d*)?$/.test(url.pathname) || url.search !== '' || url.hash !== '') throw new ConfigError(form);
  try {
    decodeURIComponent(`${url.username}:${url.password}`);
  } catch {
    throw new ConfigError('REDIS_URL must have its user and password percent-encoded');
  }
  return value;
}

function describeFirstError(): string {
  const error = validate.errors?.[0];
  const name = error?.instancePath.slice(1) ?? '';
  if (error?.keyword === 'enum') return `${name} must be one of ${error.params.allowedValues.join(', ')}`;
  if (error?.keyword === 'pattern') return `${name} must start with postgres:// or postgresql://`;
  return `${name} ${error?.message}`;
}
