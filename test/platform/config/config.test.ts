import { readConfig, readServerConfig } from '../../../src/platform/config/config.js';
import { ConfigError } from '../../../src/platform/config/environment.js';
import t, { type Test } from '../../support/tap.js';

/** Values that are rejected at startup, with one line that does not repeat them. */
const invalid: Readonly<Record<string, readonly string[]>> = {
  PORT: ['0x10', '1e1', ' 5', '5.0', '+5', '٣', '65536'],
  RATE_LIMIT_API: ['-1', '1.5', 'many', '1000001'],
  RATE_LIMIT_TOKEN: ['-1', '1.5', 'many', '1000001'],
  RATE_LIMIT_FAILURES: ['-1', '1.5', 'many', '1000001'],
  MAX_REPORTS_PER_ACCOUNT: ['-1', '1.5', 'many', '1000000001'],
  MAX_IDEMPOTENCY_KEYS: ['-1', '1.5', 'many', '1000000001'],
  SLOW_REQUEST_MS: ['0', '-1', 'fast'],
  METRICS_PORT: ['0', '65536', 'x', '3000', '1.5'],
  TRACING: ['yes', '2', 'http://collector'],
  ALLOW_UNISOLATED: ['yes'],
  BASE_URL: ['people.example', 'https://people.example/api', 'https://people.example/?a=b'],
  ERRORS_URL: [
    'help',
    'https://a.example/?a=b',
    ...['"', '<', '&', "'", '\\', ' '].map((c) => `https://a.example/${c}`),
  ],
  API_CONTACT_URL: ['support', 'mailto:api@people.example', 'https://user@people.example'],
  SECURITY_CONTACT_URL: [
    'security@people.example',
    'http://a.example',
    'https://',
    'mailto:a@b.example\nHiring: x',
  ],
  CONSOLE_CLIENT_ID: ['a b', 'https://app.example', 'x'.repeat(256)],
  MAIL_FROM: ['people', 'a@b, c@d', 'People <a@b>'],
  SMTP_URL: ['localhost:25', 'http://topsecret@localhost', 'smtp://', 'smtp://h/topsecret', 'smtp://h?a=b'],
  REDIS_URL: [
    ...['localhost:6379', 'http://:topsecret@localhost', 'redis://', 'redis:topsecret'],
    ...['redis://:topsecret@localhost/database', 'redis://:topsecret@localhost:99999'],
    ...['redis://:topsecret%@localhost', 'redis://localhost?password=topsecret'],
  ],
  TRUSTED_PROXIES: ['proxy.example', '10.0.0.0/33', 'fd00::/129', '10.0.0/8', '10.0.0.0/', '1'],
  DATABASE_URL: ['topsecret', 'mysql://people:topsecret@database.example/people'],
  // Without DATABASE_URL.
  DIRECT_DATABASE_URL: ['postgresql://people:topsecret@database.example/people'],
};

for (const [name, values] of Object.entries(invalid)) {
  t.test(`rejects an invalid ${name} with one line that does not repeat it`, async (t) => {
    for (const value of values) refuses(t, { [name]: value }, name);
  });
}

t.test('settings have defaults', async (t) => {
  t.match(readConfig({}), {
    ...{ rateLimitApi: 3000, rateLimitToken: 600, rateLimitFailures: 10 },
    ...{ maxReportsPerAccount: 10_000, maxIdempotencyKeys: 100_000 },
    ...{ redisUrl: undefined, smtpUrl: undefined, mailFrom: 'no-reply@localhost' },
    ...{
      apiContactUrl: undefined,
      securityContactUrl: undefined,
      consoleClientId: undefined,
      directDatabaseUrl: undefined,
    },
    ...{ metricsPort: undefined, metricsHost: '127.0.0.1', tracing: false, slowRequestMs: 1000 },
    ...{ allowUnisolated: false, trustedProxies: [], outboxDirectory: '.data/outbox' },
  });
});

const proxies = ['127.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', '::ffff:10.0.0.1'];

/** Values of a variable, with the setting that they become. */
const accepted: readonly (readonly [Record<string, string>, object])[] = [
  [
    { RATE_LIMIT_API: '0', RATE_LIMIT_TOKEN: '0' },
    { rateLimitApi: 0, rateLimitToken: 0 },
  ],
  [
    { RATE_LIMIT_FAILURES: '0', PORT: '0' },
    { rateLimitFailures: 0, port: 0 },
  ],
  [{ MAX_REPORTS_PER_ACCOUNT: '0' }, { maxReportsPerAccount: 0 }],
  [{ MAX_IDEMPOTENCY_KEYS: '0' }, { maxIdempotencyKeys: 0 }],
  [
    { METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' },
    { metricsPort: 9464, metricsHost: '0.0.0.0' },
  ],
  [
    { TRACING: 'true', ALLOW_UNISOLATED: 'true' },
    { tracing: true, allowUnisolated: true },
  ],
  [{ API_CONTACT_URL: 'https://a.example/?b=c' }, { apiContactUrl: 'https://a.example/?b=c' }],
  ...['https://a.example/report?a=b', 'mailto:security@a.example'].map(
    (url): [Record<string, string>, object] => [{ SECURITY_CONTACT_URL: url }, { securityContactUrl: url }],
  ),
  [{ CONSOLE_CLIENT_ID: 'my-console_1' }, { consoleClientId: 'my-console_1' }],
  [{ BASE_URL: 'https://people.example/' }, { baseUrl: 'https://people.example' }],
  [{ BASE_URL: 'https://api.example' }, { mailFrom: 'no-reply@api.example' }],
  [{ ERRORS_URL: 'https://help.example/errors//' }, { errorsUrl: 'https://help.example/errors' }],
  [{ MAIL_FROM: 'hr@people.example' }, { mailFrom: 'hr@people.example' }],
  [{ TRUSTED_PROXIES: ` ${proxies.join(' ,')},` }, { trustedProxies: proxies }],
  [{ REDIS_URL: '' }, { redisUrl: undefined }],
  ...['redis://localhost', 'redis://127.0.0.1:6379/3'].map(redis),
  ...['rediss://user:p%40ss@redis.example:6380', 'redis://:pass@[::1]:6379/'].map(redis),
  ...['smtp://localhost', 'smtps://user:p%40ss@mail.example:465/', 'smtp://[::1]:2525'].map(smtp),
];

function redis(url: string): [Record<string, string>, object] {
  return [{ REDIS_URL: url }, { redisUrl: url }];
}

function smtp(url: string): [Record<string, string>, object] {
  return [{ SMTP_URL: url }, { smtpUrl: url }];
}

t.test('accepts every form of a value that the documentation names', async (t) => {
  for (const [environment, expected] of accepted)
    t.match(readConfig(environment), expected, JSON.stringify(environment));
});

t.test('the outbox is in DATA_DIR, and absent in production', async (t) => {
  t.equal(readConfig({ DATA_DIR: '/data' }).outboxDirectory, '/data/outbox');
  const production = { NODE_ENV: 'production', APP_SECRET: 'x'.repeat(32), DATA_DIR: '/data' };
  t.equal(readConfig(production).outboxDirectory, undefined);
});

t.test('a PostgreSQL URL with several hosts requires a read-write session', async (t) => {
  const hosts = 'postgres://people:topsecret@a.example:6432,b.example/people';
  for (const name of ['DATABASE_URL', 'DIRECT_DATABASE_URL']) {
    const others = { DATABASE_URL: 'postgres://people@a.example/people' };
    for (const value of ['read-write', 'primary'])
      t.ok(readConfig({ ...others, [name]: `${hosts}?target_session_attrs=${value}` }));
    for (const query of [
      '',
      '?target_session_attrs=any',
      '?target_session_attrs=standby',
      '?sslmode=require',
    ])
      refuses(t, { ...others, [name]: `${hosts}${query}` }, name);
  }
});

t.test(
  'a database URL with an unsupported sslmode, or a password that is not encoded, is refused with one line',
  async (t) => {
    const variables = ['DATABASE_URL', 'DIRECT_DATABASE_URL', 'REPLICA_DATABASE_URLS'];
    for (const name of variables) {
      const others = { DATABASE_URL: 'postgres://people@a.example/people' };
      const urlWith = (query: string) => ({
        ...others,
        [name]: `postgres://people:topsecret@b.example/people?${query}`,
      });
      for (const query of [
        ...['sslmode=disable', 'sslmode=require', 'sslmode=verify-ca&sslrootcert=/ca.crt'],
        ...['sslmode=verify-full', 'sslmode=verify-full&sslrootcert=system'],
      ])
        t.ok(readConfig(urlWith(query)));
      for (const query of [
        ...['sslmode=allow', 'sslmode=prefer', 'sslmode=topsecret', 'sslmode=', 'sslmode=verify-ca'],
        ...['sslmode=disable&sslmode=prefer', 'sslmode=require&sslrootcert=system'],
      ])
        t.throws(() => readConfig(urlWith(query)), {
          name: 'ConfigError',
          message: new RegExp(`^${name}: ssl(?!.*topsecret).*$`),
        });
      for (const password of [
        ...['topsecret#1', 'topsecret/1', 'topsecret?1', '1#topsecret', '1/topsecret', '1?topsecret'],
        ...['%topsecret', 'topsecret%', '%ff'],
      ])
        refuses(t, { ...others, [name]: `postgres://people:${password}@b.example/people` }, name);
      for (const password of ['top@secret', 'top%40%23%2F%3F%25', 'a:b'])
        t.ok(readConfig({ ...others, [name]: `postgres://people:${password}@b.example/people` }));
      for (const url of [
        'postgres:///people?host=/run',
        'postgres://people@/people?host=/run',
        'postgres://%2Frun/people',
      ])
        t.ok(readConfig({ ...others, [name]: url }));
    }
  },
);

t.test('DIRECT_DATABASE_URL is a PostgreSQL URL beside DATABASE_URL', async (t) => {
  const databaseUrl = 'postgres://people@pooler.example:6432/people';
  const directDatabaseUrl = 'postgresql://people:topsecret@database.example/people';
  const both = { DATABASE_URL: databaseUrl, DIRECT_DATABASE_URL: directDatabaseUrl };
  t.match(readConfig(both), { databaseUrl, directDatabaseUrl });
  t.equal(readConfig({ ...both, DIRECT_DATABASE_URL: '' }).directDatabaseUrl, undefined);
  for (const wrong of ['topsecret', 'mysql://people:topsecret@database.example/people'])
    refuses(t, { ...both, DIRECT_DATABASE_URL: wrong }, 'DIRECT_DATABASE_URL');
  refuses(t, { DATABASE_URL: '', DIRECT_DATABASE_URL: directDatabaseUrl }, 'DIRECT_DATABASE_URL');
});

const production = {
  NODE_ENV: 'production',
  APP_SECRET: 'a secret that is long enough for a test',
  BASE_URL: 'https://people.example',
  DATABASE_URL: 'postgres://db.internal/people',
};

t.test('rejects a BASE_URL that is missing or not https:// when NODE_ENV=production', async (t) => {
  for (const baseUrl of ['', 'http://people.example', 'http://localhost:3000', 'HTTP://people.example']) {
    const environment = { ...production, BASE_URL: baseUrl };
    rejects(t, environment, /^BASE_URL must start with https:\/\/ .*set ALLOW_HTTP=true[^\n]*$/);
    rejects(t, { ...environment, ALLOW_HTTP: 'false' }, /^BASE_URL must start with https:\/\/ /);
  }
  t.equal(readServerConfig(production).baseUrl, 'https://people.example');
});

t.test('production without DATABASE_URL starts with ALLOW_EMBEDDED=true only', async (t) => {
  const embedded = { ...production, DATABASE_URL: '' };
  t.throws(() => readServerConfig(embedded), { message: /^DATABASE_URL is required .*ALLOW_EMBEDDED=true/ });
  t.equal(readServerConfig({ ...embedded, ALLOW_EMBEDDED: 'true' }).databaseUrl, undefined);
  t.equal(readConfig(embedded).databaseUrl, undefined, 'the command line serves no requests');
  t.equal(readServerConfig({}).databaseUrl, undefined, 'outside production');
});

t.test('rejects an ERRORS_URL that is not https:// when NODE_ENV=production', async (t) => {
  const environment = { ...production, ERRORS_URL: 'http://help.people.example' };
  rejects(t, environment, /^ERRORS_URL must start with https:\/\/ .*set ALLOW_HTTP=true[^\n]*$/);
  t.equal(readServerConfig(production).errorsUrl, 'https://people.example/errors');
});

t.test('accepts any BASE_URL and ERRORS_URL in production with ALLOW_HTTP=true', async (t) => {
  const local = { ...production, BASE_URL: '', ALLOW_HTTP: 'true' };
  t.equal(readServerConfig(local).baseUrl, 'http://localhost:3000');
  t.ok(readServerConfig({ ...local, ERRORS_URL: 'http://help.people.example' }));
  rejects(t, { ...local, ALLOW_HTTP: 'yes' }, /^ALLOW_HTTP must be true or false$/);
});

t.test('accepts http:// outside production', async (t) => {
  t.equal(readServerConfig({}).baseUrl, 'http://localhost:3000');
});

t.test('the command line needs no BASE_URL in production', async (t) => {
  t.equal(readConfig({ ...production, BASE_URL: '' }).production, true);
});

t.test('APP_SECRET_PREVIOUS has the minimum length of APP_SECRET and differs from it', async (t) => {
  const previous = 'an earlier secret that is long enough';
  t.equal(readConfig({ ...production, APP_SECRET_PREVIOUS: previous }).previousAppSecret, previous);
  t.equal(readConfig({ ...production, APP_SECRET_PREVIOUS: '' }).previousAppSecret, undefined);
  rejects(
    t,
    { ...production, APP_SECRET_PREVIOUS: 'short' },
    /^APP_SECRET_PREVIOUS must be at least 32 characters$/,
  );
  rejects(
    t,
    { ...production, APP_SECRET_PREVIOUS: production.APP_SECRET },
    /^APP_SECRET_PREVIOUS must not be/,
  );
});

t.test('the message has one line for each variable with an invalid value', async (t) => {
  t.throws(() => readConfig({ PORT: 'x', LOG_LEVEL: 'loud', DATABASE_URL: 'topsecret' }), {
    message: [
      'PORT must be a whole number from 0 to 65535',
      'DATABASE_URL must be a URL that starts with postgres:// or postgresql://, with a percent-encoded user name and password; with several hosts, its target_session_attrs must be read-write or primary',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
    ].join('\n'),
  });
  t.throws(() => readServerConfig({ NODE_ENV: 'production', DEMO_DATA: 'true', BASE_URL: 'http://x' }), {
    message:
      /^APP_SECRET is required .*\nDEMO_DATA must not be true .*\nDATABASE_URL is required .*\nBASE_URL must start with https:.*$/,
  });
});

/** Expects that a server does not start, with one line. */
function rejects(t: Test, environment: Record<string, string>, message: RegExp): void {
  t.throws(() => readServerConfig(environment), { name: 'ConfigError', message });
}

function refuses(t: Test, environment: Record<string, string>, name: string): void {
  try {
    readConfig(environment);
    t.fail(`${JSON.stringify(environment)} is accepted`);
  } catch (error) {
    t.type(error, ConfigError);
    const { message } = error as ConfigError;
    t.match(message, new RegExp(`^${name} must [^\\n]+$`));
    t.notMatch(message, /topsecret/);
  }
}
