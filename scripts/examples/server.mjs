import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { buildApp } from '../../dist/src/app.js';
import { fillDemoData } from '../../dist/src/features/demo-data/fill.js';
import { UploadWorker } from '../../dist/src/features/imports/uploads/upload-worker.js';
import { UsageRecorder } from '../../dist/src/features/usage/usage-recorder.js';
import { SigningKeys } from '../../dist/src/oauth/keys/signing-keys.js';
import { hashPassword } from '../../dist/src/platform/accounts/passwords.js';
import { readConfig } from '../../dist/src/platform/config/config.js';
import { loadContract } from '../../dist/src/platform/contract/contract.js';
import { migrate } from '../../dist/src/platform/database/migrate.js';
import { openDatabase } from '../../dist/src/platform/database/open-database.js';
import { listen } from '../../dist/src/process/listen.js';
import { freePort } from '../demo-server.mjs';
import { root } from '../modified.mjs';

/** Time of every recording. The dates of the demo data are relative to it. */
export const recordingTime = new Date('2026-02-03T09:15:00.000Z');

const appSecrets = { current: 'a secret for recordings that is long enough' };

/**
 * Opens a new embedded database with the demo data, and calls `use` with the database and a function that starts
 * servers on it. Closes the servers and the database and deletes the data afterwards.
 *
 * The servers run in this process, so that entries can close their database. Their clock is fixed, so that dates are the
 * same in every recording.
 */
export async function withServers(use) {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'people-api-examples-'));
  const embeddedTemplate = path.join(root, 'dist', 'embedded-template');
  const database = await openDatabase({ dataDir, embeddedTemplate });
  const apps = [];
  try {
    const clock = () => recordingTime;
    await migrate(database);
    await fillDemoData(database, { hashPassword, now: clock(), baseUrl: 'http://localhost:3000' });
    const signingKeys = await SigningKeys.open(database, appSecrets, clock);
    const contract = loadContract();
    const start = async ({ environment = {}, at = clock } = {}) => {
      const port = await freePort();
      const config = readConfig({ PORT: String(port), DATA_DIR: dataDir, ...environment });
      const usage = new UsageRecorder({ database, clock: at });
      const uploadWorker = new UploadWorker({ database, clock: at, contract });
      const dependencies = {
        config,
        contract,
        database,
        signingKeys,
        appSecrets,
        usage,
        uploadWorker,
        clock: at,
      };
      const app = await buildApp({ ...dependencies, logger: false });
      apps.push(app);
      await listen(app, { host: '127.0.0.1', port });
      return { base: `http://localhost:${port}`, port, app, config };
    };
    return await use({ database, start });
  } finally {
    await Promise.all(apps.map((app) => app.close()));
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
