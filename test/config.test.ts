import t, { type Test } from 'tap';
import { ConfigError, readConfig } from '../src/config.js';

t.test('limits have defaults, and 0 turns them off', async (t) => {
  t.match(readConfig({}), {
    rateLimitApi: 3000,
    rateLimitToken: 600,
    rateLimitFailures: 10,
    redisUrl: undefined,
  });
  const off = readConfig({ RATE_LIMIT_API: '0', RATE_LIMIT_TOKEN: '0', RATE_LIMIT_FAILURES: '0' });
  t.match(off, { rateLimitApi: 0, rateLimitToken: 0, rateLimitFailures: 0 });
});

for (const name of ['RATE_LIMIT_API', 'RATE_LIMIT_TOKEN', 'RATE_LIMIT_FAILURES']) {
  t.test(`${name} is a number of calls, or the start stops with one line that names it`, async (t) => {
    for (const wrong of ['-1', '1.5', 'many', '1000001']) refuses(t, { [name]: wrong }, name);
  });
}

t.test('REDIS_URL is taken in every form that the client takes', async (t) => {
  for (const url of [
    'redis://localhost',
    'redis://127.0.0.1:6379/3',
    'rediss://user:p%40ss@redis.example:6380',
    'redis://:pass@[::1]:6379/',
  ]) {
    t.equal(readConfig({ REDIS_URL: url }).redisUrl, url);
  }
  t.equal(readConfig({ REDIS_URL: '' }).redisUrl, undefined);
});

t.test('a wrong REDIS_URL stops the start with one line that does not repeat it', async (t) => {
  for (const wrong of [
    'localhost:6379',
    'http://:topsecret@localhost',
    'redis://',
    'redis:topsecret',
    'redis://:topsecret@localhost/database',
    'redis://:topsecret@localhost:99999',
    'redis://:topsecret%@localhost',
    'redis://localhost?password=topsecret',
  ]) {
    refuses(t, { REDIS_URL: wrong }, 'REDIS_URL');
  }
});

function refuses(t: Test, environment: Record<string, string>, name: string): void {
  try {
    readConfig(environment);
    t.fail(`${JSON.stringify(environment)} is taken`);
  } catch (error) {
    t.type(error, ConfigError);
    const { message } = error as ConfigError;
    t.match(message, new RegExp(`^${name} must [^\\n]+$`));
    t.notMatch(message, /topsecret/);
  }
}
