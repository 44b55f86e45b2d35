import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config/config.js';
import type { AppSecrets } from './keyring.js';

/**
 * Returns the configured secrets. Without `APP_SECRET`, a secret is generated at the first start and stored in the data
 * directory, readable for the owner only.
 */
export async function resolveAppSecrets(config: Config): Promise<AppSecrets> {
  return {
    current: config.appSecret ?? (await generatedSecret(config.dataDir)),
    previous: config.previousAppSecret,
  };
}

async function generatedSecret(dataDir: string): Promise<string> {
  const file = path.join(dataDir, 'app-secret');
  await mkdir(dataDir, { recursive: true });
  try {
    // `wx` fails when the file exists, so that processes that start at the same time read the same secret.
    await writeFile(file, randomBytes(48).toString('base64url'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return await readFile(file, 'utf8');
}
