import { hash, parseOptions, verify } from '@node-rs/argon2';
import { normalizePassword } from './normalize.js';

/** Argon2id with 19 MiB and two passes, as OWASP recommends. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** UTF-16 code units. Longer passwords are rejected without hashing. */
export const maximumPasswordLength = 1024;

/** Hashes a password with Argon2id. */
export function hashPassword(password: string): Promise<string> {
  return hash(normalizePassword(password), parameters);
}

let absentUserHash: Promise<string> | undefined;

/** Whether a password matches, and whether its stored hash must be replaced because of other parameters or normalization. */
export interface PasswordCheck {
  readonly matches: boolean;
  readonly outdated: boolean;
}

/**
 * Compares a password with a stored hash. The hash may be of the text that was typed, because earlier versions did not
 * normalize passwords.
 *
 * Constant-time failure: without a stored hash it computes as many hashes and returns no match, so that the time does not
 * reveal which e-mail addresses exist.
 *
 * @param compare compares a hash with a text. A test counts its calls.
 */
export async function checkPassword(
  stored: string | null,
  password: string,
  compare: (hashed: string, text: string) => Promise<boolean> = verify,
): Promise<PasswordCheck> {
  absentUserHash ??= hashPassword('');
  const hashed = stored ?? (await absentUserHash);
  const normalized = normalizePassword(password);
  for (const text of new Set([normalized, password])) {
    if (text.length > maximumPasswordLength) continue;
    if ((await compare(hashed, text)) && stored !== null) {
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
