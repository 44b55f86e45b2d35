import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from './config.js';

/**
 * The secret that seals keys and signs cookies: the configured one, or one that is made at the first start and
 * kept, readable for the owner alone, beside the data that it protects.
 */
export async function resolveAppSecret({ appSecret, dataDir }: Config): Promise<string> {
  if (appSecret !== undefined) return appSecret;
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
