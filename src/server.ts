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
import { setUpEngine } from './engine.js';
import type { Lifecycle } from './http/lifecycle.js';
import { listen } from './listen.js';
import { SigningKeys } from './oauth/signing-keys.js';
import { startInstruments } from './observability/instruments.js';
import { describeFailure } from './operator-errors.js';
import { hashPassword } from './services/passwords.js';
import { createShutdown } from './shutdown.js';
import { startupMessage } from './startup-message.js';

/** Longest run of a statement for a request: whoever asked has mostly given up by then. */
const statementTimeoutMs = 10_000;

/** A database that cannot be reached, or has no connection left, is not waited for any longer. */
const connectionTimeoutMs = 3_000;

async function start(): Promise<void> {
  setUpEngine();
  const config = readConfig(process.env);
  const logger = pino({ level: config.logLevel });
  const appSecret = await resolveAppSecret(config);
  const opened = await openDatabase({ ...config, logger, statementTimeoutMs, connectionTimeoutMs });
  const instruments = await startInstruments(config, opened);
  const { database, observers } = instruments;
  await migrate(database, { logger });
  if (config.demoData) await fillDemoData(database, { hashPassword, now: systemClock() });
  const signingKeys = await SigningKeys.open(database, appSecret, systemClock);
  const contract = loadContract();
  const lifecycle: Lifecycle = { stopping: false };
  const app = await buildApp({
    config,
    contract,
    database,
    signingKeys,
    appSecret,
    clock: systemClock,
    logger,
    lifecycle,
    observers,
  });
  app.addHook('onClose', () => instruments.close());
  const stopBackgroundWork = startBackgroundWork({ database, signingKeys, clock: systemClock, logger });

  const stop = createShutdown({
    app,
    lifecycle,
    afterwards: [stopBackgroundWork, () => database.close()],
    logger,
    noticeMilliseconds: config.shutdownNoticeSeconds * 1000,
  });
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  void opened.stopped.then(stop);

  await listen(app, config);
  process.stdout.write(startupMessage(config));
}

start().catch((error) => {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exit(1);
});
