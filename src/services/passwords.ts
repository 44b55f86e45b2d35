import { hash, verify } from '@node-rs/argon2';

/** Argon2id with 19 MiB and two passes, as OWASP recommends. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Longer passwords are refused before they cost work. */
export const maximumPasswordLength = 1024;

export function hashPassword(password: string): Promise<string> {
  return hash(password, parameters);
}

let nobodysHash: Promise<string> | undefined;

/**
 * Compares a password with a stored hash. Without one it takes the same work and says no: the time of a refusal
 * must not tell which e-mail addresses exist.
 */
export async function passwordMatches(stored: string | null, password: string): Promise<boolean> {
  nobodysHash ??= hashPassword('');
  const matches = await verify(stored ?? (await nobodysHash), password);
  return matches && stored !== null;
}
