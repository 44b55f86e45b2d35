import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config/config.js';
import type { AppSecrets } from '../services/keyring.js';

/**
 * The secrets that seal keys and sign forms: the configured ones. Without `APP_SECRET`, one is generated at the first
 * start and stored beside the data that it protects, readable for the owner alone.
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
    // `wx` fails where the file exists, so of two processes that start at once one makes it and both read it.
    await writeFile(file, randomBytes(48).toString('base64url'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return await readFile(file, 'utf8');
}
