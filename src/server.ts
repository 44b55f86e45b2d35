import path from 'node:path';
import { buildApp } from './app.js';
import { fillDemoData, hasDemoApplication } from './features/demo-data/fill.js';
import { CustomAttributePurge } from './features/employees/custom-attribute-purge.js';
import { UploadWorker } from './features/imports/uploads/upload-worker.js';
import { SecretReminders } from './features/oauth-clients/secret-reminders.js';
import { DomainChecks } from './features/single-sign-on/domain-checks.js';
import { UsageRecorder } from './features/usage/usage-recorder.js';
import { deliveryLagSeconds, WebhookWorker } from './features/webhooks/delivery/webhook-worker.js';
import { notifyOwners } from './features/webhooks/pause-notification.js';
import { SigningKeys } from './oauth/keys/signing-keys.js';
import { LogoutWorker } from './oauth/logout/logout-worker.js';
import { claimIssuer } from './oauth/recorded-issuer.js';
import { supportedGrantTypes } from './oauth/token-endpoint.js';
import { hashPassword } from './platform/accounts/passwords.js';
import { systemClock } from './platform/clock.js';
import { readServerConfig } from './platform/config/config.js';
import { loadContract } from './platform/contract/contract.js';
import { resolveAppSecrets } from './platform/crypto/app-secret.js';
import { migrate } from './platform/database/migrate.js';
import { openDatabase } from './platform/database/open-database.js';
import { openReplicas } from './platform/database/replicas/open-replicas.js';
import { createLifecycle } from './platform/http/lifecycle.js';
import { createLogger } from './platform/logger.js';
import { LinkDelivery } from './platform/mail/link-delivery.js';
import { createResolveTxt } from './platform/network/txt-records.js';
import { startInstruments } from './platform/observability/instruments.js';
import { packageRoot } from './platform/package-root.js';
import { startBackgroundWork } from './process/background-work.js';
import { Housekeeping } from './process/housekeeping.js';
import { listen, startupMessage } from './process/listen.js';
import { describeFailure } from './process/operator-errors.js';
import { createShutdown } from './process/shutdown.js';

/** Maximum duration of a statement of a request. */
const statementTimeoutMs = 10_000;

/** Maximum time to wait for a connection to the database. */
const connectionTimeoutMs = 3_000;

/** Template of the embedded database with all tables, created by the build. */
const embeddedTemplate = path.join(packageRoot, 'dist', 'embedded-template');

async function start(): Promise<void> {
  const config = readServerConfig(process.env);
  const logger = await createLogger(config);
  const appSecrets = await resolveAppSecrets(config);
  const databaseOptions = { ...config, embeddedTemplate, logger, statementTimeoutMs, connectionTimeoutMs };
  const opened = await openDatabase(databaseOptions);
  const instruments = await startInstruments(config, opened, supportedGrantTypes);
  const { database, observers } = instruments;
  await migrate(database, { logger });
  await claimIssuer(database, config.baseUrl, { at: systemClock(), logger });
  if (config.demoData)
    await fillDemoData(database, { baseUrl: config.baseUrl, hashPassword, now: systemClock() });
  const replicas =
    config.replicaDatabaseUrls.length > 0
      ? await openReplicas(database, config.replicaDatabaseUrls, databaseOptions)
      : undefined;
  const signingKeys = await SigningKeys.open(database, appSecrets, systemClock);
  const contract = loadContract();
  const usage = new UsageRecorder({ database, clock: systemClock, logger });
  const uploadWorker = new UploadWorker({ database, clock: systemClock, contract, logger });
  const delivery = new LinkDelivery({ config, clock: systemClock, logger });
  const webhookWorker = new WebhookWorker({
    ...{ config, database, appSecrets, clock: systemClock, logger },
    ...(instruments.webhooks && { observer: instruments.webhooks }),
    onPaused: (outcome) => notifyOwners(database, delivery, outcome),
  });
  const logoutWorker = new LogoutWorker({ config, database, signingKeys, clock: systemClock, logger });
  const resolveTxt = createResolveTxt();
  const domainChecks = new DomainChecks({ database, clock: systemClock, logger, delivery, resolveTxt });
  const secretReminders = new SecretReminders({ database, clock: systemClock, logger, delivery });
  const attributePurge = new CustomAttributePurge({ database, clock: systemClock, logger });
  instruments.webhooks?.watch({
    running: () => webhookWorker.running,
    lagSeconds: () => deliveryLagSeconds(database, systemClock()),
  });
  const lifecycle = createLifecycle();
  const app = await buildApp({
    config,
    contract,
    database,
    signingKeys,
    appSecrets,
    clock: systemClock,
    usage,
    delivery,
    resolveTxt,
    uploadWorker,
    logger,
    lifecycle,
    observers,
    ...(replicas && { reads: replicas.reads }),
  });
  app.addHook('onClose', () => instruments.close());
  const stopBackgroundWork = startBackgroundWork({
    housekeeping: new Housekeeping(database, config),
    signingKeys,
    usage,
    uploadWorker,
    webhookWorker,
    logoutWorker,
    domainChecks,
    secretReminders,
    attributePurge,
    clock: systemClock,
    logger,
  });

  const stop = createShutdown({
    app,
    lifecycle,
    afterwards: [stopBackgroundWork, async () => replicas?.close(), () => database.close()],
    logger,
    drainDelayMs: config.shutdownNoticeSeconds * 1000,
  });
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  void opened.stopped.then(stop);

  const demoApplication = await hasDemoApplication(database);
  await listen(app, config);
  process.stdout.write(startupMessage(config, { demoApplication }));
}

start().catch((error) => {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exit(1);
});
