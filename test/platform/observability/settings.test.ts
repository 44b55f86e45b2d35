import { readConfig } from '../../../src/platform/config/config.js';
import { ConfigError } from '../../../src/platform/config/environment.js';
import t from '../../support/tap.js';

t.test('by default metrics and traces are off, and metrics listen on the local host', (t) => {
  t.match(readConfig({}), {
    metricsPort: undefined,
    metricsHost: '127.0.0.1',
    tracing: false,
    slowRequestMs: 1000,
  });
  t.match(
    readConfig({ METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0', TRACING: 'true', SLOW_REQUEST_MS: '250' }),
    {
      metricsPort: 9464,
      metricsHost: '0.0.0.0',
      tracing: true,
      slowRequestMs: 250,
    },
  );
  t.end();
});

t.test('rejects a wrong value with one line that names the variable', (t) => {
  for (const [name, values] of [
    ['METRICS_PORT', ['0', '65536', 'x', '3000', '1.5']],
    ['TRACING', ['yes', '2', 'http://collector']],
    ['SLOW_REQUEST_MS', ['0', '-1', 'fast']],
  ] as const) {
    for (const value of values) {
      t.throws(
        () => readConfig({ [name]: value }),
        { name: ConfigError.name, message: new RegExp(`^${name} [^\n]*$`) },
        `${name}=${value}`,
      );
    }
  }
  t.end();
});
