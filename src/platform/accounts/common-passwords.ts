import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** Characters that are examined, from the first one. It limits the time to about 50 ms. */
const maximumLength = 32;

/** Scores 0 and 1 need fewer than a million guesses, which an attacker can make at the sign-in page over months. */
const minimumScore = 2;

let estimator: Promise<ZxcvbnFactory> | undefined;

/**
 * Whether a password is among those that attackers try first: one of the most common passwords, with common changes,
 * repetitions, sequences and keyboard patterns. There are no rules about its characters.
 *
 * @see NIST SP 800-63B section 5.1.1.2
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  estimator ??= createEstimator();
  return (await estimator).check(password.slice(0, maximumLength)).score < minimumScore;
}

/** Loaded with the first password that is set: the list takes 25 MB of memory. */
async function createEstimator(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
}
