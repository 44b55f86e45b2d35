import { pino } from 'pino';
import { buildApp } from './app.js';
import { resolveAppSecret } from './app-secret.js';
import { systemClock } from './clock.js';
import { ConfigError, readConfig } from './config.js';
import { loadContract } from './contract/contract.js';
import { openDatabase } from './database/client.js';
import { fillDemoData } from './database/demo-data/fill.js';
import { MigrationError, migrate } from './database/migrate.js';
import { SigningKeys, UnreadableSigningKeyError } from './oauth/signing-keys.js';
import { hashPassword } from './services/passwords.js';
import { startupMessage } from './startup-message.js';

/** Milliseconds that requests in flight have to finish once the process was told to stop. */
const drainMilliseconds = 10_000;

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const logger = pino({ level: config.logLevel });
  const appSecret = await resolveAppSecret(config);
  const database = await openDatabase(config);
  await migrate(database);
  if (config.demoData) await fillDemoData(database, { hashPassword, now: systemClock() });
  const app = await buildApp({
    config,
    contract: loadContract(),
    database,
    signingKeys: await SigningKeys.open(database, appSecret, systemClock),
    appSecret,
    clock: systemClock,
    logger,
  });

  let stopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), drainMilliseconds).unref();
    await app.close();
    await database.close();
    process.exit(0);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);

  await app.listen({ host: config.host, port: config.port });
  process.stdout.write(startupMessage(config));
}

/** Mistakes of whoever runs the server: one line says it all, and a stack trace would only hide it. */
function isOperatorError(error: unknown): error is Error {
  return (
    error instanceof ConfigError ||
    error instanceof MigrationError ||
    error instanceof UnreadableSigningKeyError ||
    (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
  );
}

start().catch((error) => {
  process.stderr.write(`${isOperatorError(error) ? error.message : (error as Error).stack}\n`);
  process.exit(1);
});
