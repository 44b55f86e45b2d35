import type { z } from 'zod/v3';
import {
  baseUrl,
  boolean,
  clientId,
  integerVariable,
  limit,
  mailAddress,
  networks,
  oneOf,
  postgresqlUrl,
  postgresqlUrls,
  redisUrl,
  seconds,
  secret,
  securityContact,
  smtpUrl,
  text,
  urlPrefix,
  webAddress,
} from './value-types.js';

interface Variable {
  /** Its type, limits and default. */
  readonly schema: z.ZodType<unknown, z.ZodTypeDef, string | undefined>;
  /** The default, where it depends on other variables. */
  readonly derivedDefault?: string;
  /** Its purpose, in Markdown. Links are relative to `docs`. */
  readonly description: string;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const logFormats = ['json', 'pretty'] as const;

const callsPerMinute = limit(1_000_000);
const quota = limit(1_000_000_000);
const port = (minimum: 0 | 1) => integerVariable(minimum, 65_535);

/** Every variable that the project reads, in the order of the documentation, which is generated from this table. */
export const variables = {
  NODE_ENV: {
    schema: text('any text').optional(),
    description: '`production` turns on the rules for [production](#production).',
  },
  HOST: {
    schema: text('an IP address or a host name').default('127.0.0.1'),
    description: 'Address to listen on. For a host name with several addresses, the first one is used.',
  },
  PORT: {
    schema: port(0).default('3000'),
    description: 'Port to listen on. `0` selects a free port.',
  },
  BASE_URL: {
    schema: baseUrl.optional(),
    derivedDefault: '`http://localhost:$PORT`',
    description:
      'Public address of the server: the issuer and the audience of tokens, and the prefix of links. Must start with `https://` in production.',
  },
  ERRORS_URL: {
    schema: urlPrefix.optional(),
    derivedDefault: '`$BASE_URL/errors`',
    description: 'Prefix of problem types. Must start with `https://` in production.',
  },
  ALLOW_HTTP: {
    schema: boolean.default('false'),
    description: '`true` allows `BASE_URL` and `ERRORS_URL` to start with `http://` in production.',
  },
  API_CONTACT_URL: {
    schema: webAddress.optional(),
    description: 'Support page for users of the API. The published contract contains it.',
  },
  SECURITY_CONTACT_URL: {
    schema: securityContact.optional(),
    description:
      'Where to report a vulnerability. `/.well-known/security.txt` (RFC 9116) contains it. Unset: that path is not found.',
  },
  CONSOLE_CLIENT_ID: {
    schema: clientId.optional(),
    derivedDefault: '`democonsole` with the demo data, otherwise unset',
    description:
      'Client id of the public application that users sign in with in the [API console](operations.md#api-console). Unset: users paste an access token.',
  },
  TRUSTED_PROXIES: {
    schema: networks.default(''),
    description:
      '[Proxies](deployment.md#proxy) whose `X-Forwarded-For` header gives the address of the client.',
  },
  MAX_CONNECTIONS: {
    schema: integerVariable(1, 1_000_000).default('10000'),
    description: 'Open connections. Further connections are dropped.',
  },
  SHUTDOWN_NOTICE: {
    schema: seconds(0, 300).default('0'),
    description: 'Time in which `/readyz` responds with 503 before the server stops accepting connections.',
  },
  DATABASE_URL: {
    schema: postgresqlUrl.optional(),
    description:
      'PostgreSQL 14 or later. Unset: the embedded database. With [several hosts](scaling.md#high-availability), the server uses the one that is read-write.',
  },
  ALLOW_EMBEDDED: {
    schema: boolean.default('false'),
    description:
      '`true` allows the server to start in production without `DATABASE_URL`, with the [embedded database](deployment.md#embedded-database).',
  },
  DIRECT_DATABASE_URL: {
    schema: postgresqlUrl.optional(),
    derivedDefault: '`$DATABASE_URL`',
    description:
      'URL of the same database that bypasses a [connection pooler](deployment.md#connection-poolers), for migrations.',
  },
  REPLICA_DATABASE_URLS: {
    schema: postgresqlUrls.default(''),
    description:
      '[Standbys](scaling.md#reads-from-standbys) of the database, one URL for each server. Employees, reports and results are read there.',
  },
  ALLOW_UNISOLATED: {
    schema: boolean.default('false'),
    description:
      '`true` allows the server to start in production when row-level security does not apply to its [database user](deployment.md#users-of-the-database).',
  },
  DATA_DIR: {
    schema: text('a path of a directory').default('.data'),
    description:
      'Directory of the [embedded database](deployment.md#embedded-database), the generated secret, and outside production the [outbox](operations.md#mail).',
  },
  DEMO_DATA: {
    schema: boolean.optional(),
    derivedDefault: '`true` with the embedded database outside production, otherwise `false`',
    description: 'Whether the server fills an empty database with demo data. Not allowed in production.',
  },
  APP_SECRET: {
    schema: secret.optional(),
    derivedDefault: 'generated under `DATA_DIR`',
    description: 'Secret that encrypts signing keys and signs forms. Required in production.',
  },
  APP_SECRET_PREVIOUS: {
    schema: secret.optional(),
    description:
      'Second secret that is accepted while [`APP_SECRET` is changed](operations.md#keys-and-secrets).',
  },
  ACCESS_TOKEN_TTL: {
    schema: seconds(1, 86_400).default('3600'),
    description: 'Lifetime of an access token.',
  },
  REFRESH_TOKEN_TTL: {
    schema: seconds(1, 31_536_000).default('2592000'),
    description: 'Lifetime of a refresh token.',
  },
  AUTHORIZATION_CODE_TTL: {
    schema: seconds(1, 600).default('300'),
    description: 'Lifetime of an authorization code.',
  },
  REPLAY_LEEWAY: {
    schema: seconds(0, 300).default('10'),
    description:
      'Time in which a second use of an authorization code does not revoke the grant, if its refresh token is unused.',
  },
  RATE_LIMIT_FAILURES: {
    schema: callsPerMinute.default('10'),
    description:
      'Failed sign-ins, client authentications and confirmations of a password, and requests and forms of links that are sent by mail, a minute for an address, a client, a link or a known browser. The limit for a user is five times as high, and that for an IPv6 /48 network six times.',
  },
  RATE_LIMIT_API: {
    schema: callsPerMinute.default('3000'),
    description: 'API requests a minute for an application.',
  },
  RATE_LIMIT_TOKEN: {
    schema: callsPerMinute.default('600'),
    description: 'Requests a minute for a client at the token and revocation endpoints.',
  },
  MAX_REPORTS_PER_ACCOUNT: {
    schema: quota.default('10000'),
    description: 'Saved reports of an account.',
  },
  EVENT_RETENTION_DAYS: {
    schema: integerVariable(1, 3650).default('30'),
    description: 'Days for which events are kept.',
  },
  HISTORY_RETENTION_DAYS: {
    schema: integerVariable(1, 3650).default('400'),
    description: 'Days for which changes of employees are kept.',
  },
  MAX_IDEMPOTENCY_KEYS: {
    schema: quota.default('100000'),
    description: 'Idempotency keys of an application in 24 hours. Expired keys count until they are deleted.',
  },
  REDIS_URL: {
    schema: redisUrl.optional(),
    description: 'Redis server that counts requests and failures. Unset: the database counts them.',
  },
  ALLOW_PRIVATE_IDENTITY_PROVIDERS: {
    schema: boolean.default('false'),
    description:
      '`true` allows [identity providers](single-sign-on.md#network) at private addresses in production.',
  },
  SMTP_URL: {
    schema: smtpUrl.optional(),
    description:
      'SMTP server for [mail](operations.md#mail). Unset: links are shown to the owner or administrator who creates them.',
  },
  MAIL_FROM: {
    schema: mailAddress.optional(),
    derivedDefault: '`no-reply@` and the host of `BASE_URL`',
    description: 'Address of the sender of mail.',
  },
  LOG_LEVEL: {
    schema: oneOf(logLevels).default('info'),
    description: 'Least severe level of the [log](operations.md#log).',
  },
  LOG_FORMAT: {
    schema: oneOf(logFormats).default('json'),
    description: '`json`, or `pretty` for people who read the [log](operations.md#log) on a terminal.',
  },
  SLOW_REQUEST_MS: {
    schema: integerVariable(1, 3_600_000).default('1000'),
    description: 'Milliseconds after which a request is logged as slow, whatever its status.',
  },
  METRICS_PORT: {
    schema: port(1).optional(),
    description:
      'Port of the Prometheus [metrics](operations.md#metrics). Unset: nothing is measured. Must differ from `PORT`.',
  },
  METRICS_HOST: {
    schema: text('an IP address or a host name').default('127.0.0.1'),
    description: 'Address of the Prometheus metrics.',
  },
  TRACING: {
    schema: boolean.default('false'),
    description: '`true` creates OpenTelemetry [spans](operations.md#traces) of requests and statements.',
  },
} satisfies Record<string, Variable>;
