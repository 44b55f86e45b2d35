import { hash, parseOptions, verify } from '@node-rs/argon2';
import { normalizePassword } from './normalize.js';

/** Argon2id with 19 MiB and two passes, as OWASP recommends. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** UTF-16 code units. Longer passwords are rejected before they cost work. */
export const maximumPasswordLength = 1024;

export function hashPassword(password: string): Promise<string> {
  return hash(normalizePassword(password), parameters);
}

let absentUserHash: Promise<string> | undefined;

/** Whether a password is right, and whether its hash should be replaced by a new one of the same password. */
export interface PasswordCheck {
  readonly matches: boolean;
  readonly outdated: boolean;
}

/**
 * Compares a password with a stored hash, which may be of the text as it was typed, from before passwords were
 * normalized.
 *
 * Without a hash it takes the same work and says no: the time of a rejection must not tell which e-mail addresses
 * exist. How many hashes are computed for a rejection depends on the password alone.
 */
export async function checkPassword(stored: string | null, password: string): Promise<PasswordCheck> {
  absentUserHash ??= hashPassword('');
  const hashed = stored ?? (await absentUserHash);
  const normalized = normalizePassword(password);
  for (const text of new Set([normalized, password])) {
    if (text.length > maximumPasswordLength) continue;
    if ((await verify(hashed, text)) && stored !== null) {
      return { matches: true, outdated: text !== normalized || hasOtherParameters(stored) };
    }
  }
  return { matches: false, outdated: false };
}

function hasOtherParameters(stored: string): boolean {
  const { memoryCost, timeCost, parallelism } = parseOptions(stored);
  return (
    memoryCost !== parameters.memoryCost ||
    timeCost !== parameters.timeCost ||
    parallelism !== parameters.parallelism
  );
}
