import { pino } from 'pino';
import { buildApp } from './app.js';
import { resolveAppSecret } from './app-secret.js';
import { startBackgroundWork } from './background-work.js';
import { systemClock } from './clock.js';
import { readConfig } from './config.js';
import { loadContract } from './contract/contract.js';
import { openDatabase } from './database/client.js';
import { fillDemoData } from './database/demo-data/fill.js';
import { migrate } from './database/migrate.js';
import { SigningKeys } from './oauth/signing-keys.js';
import { startInstruments } from './observability/instruments.js';
import { describeFailure } from './operator-errors.js';
import { hashPassword } from './services/passwords.js';
import { startupMessage } from './startup-message.js';

/** Milliseconds that requests in flight have to finish once the process was told to stop. */
const drainMilliseconds = 10_000;

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const logger = pino({ level: config.logLevel });
  const appSecret = await resolveAppSecret(config);
  const instruments = await startInstruments(config, await openDatabase({ ...config, logger }));
  const { database, observers } = instruments;
  await migrate(database);
  if (config.demoData) await fillDemoData(database, { hashPassword, now: systemClock() });
  const signingKeys = await SigningKeys.open(database, appSecret, systemClock);
  const contract = loadContract();
  const app = await buildApp({
    config,
    contract,
    database,
    signingKeys,
    appSecret,
    clock: systemClock,
    logger,
    observers,
  });
  app.addHook('onClose', () => instruments.close());
  const stopBackgroundWork = startBackgroundWork({ database, signingKeys, clock: systemClock, logger });

  let stopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), drainMilliseconds).unref();
    await app.close();
    await stopBackgroundWork();
    await database.close();
    process.exit(0);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);

  await app.listen({ host: config.host, port: config.port });
  process.stdout.write(startupMessage(config));
}

start().catch((error) => {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exit(1);
});
