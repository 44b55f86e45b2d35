import { ratios } from '../measure/statistics.mjs';

/**
 * @typedef {object} Bar What must hold, and what was found.
 * @property {string} text
 * @property {{ median: number, least: number, most: number }} found
 * @property {{ atLeast?: number, atMost?: number }} bound
 * @property {boolean | undefined} passed Whether the median keeps within the bound; undefined where there is none.
 */

const metrics = {
  perServerSecond: 'requests per processor second of the server',
  perTotalSecond: 'requests per processor second of server and PostgreSQL',
  perSecond: 'requests per second',
};

/**
 * Compares two subjects round by round.
 *
 * @param {Map<string, import('../measure/sample.mjs').Sample[]>} samples
 * @param {{ of: string, against: string, bound: Bar['bound'], metric?: keyof typeof metrics }} what
 * @returns {Bar}
 */
export function compare(samples, { of, against, bound, metric = 'perServerSecond' }) {
  const values = (name) => samples.get(name).map((sample) => sample[metric]);
  return bar(`${of} ÷ ${against}: ${metrics[metric]}`, ratios(values(of), values(against)), bound);
}

/**
 * @param {string} text
 * @param {Bar['found']} found
 * @param {Bar['bound']} bound
 * @returns {Bar}
 */
export function bar(text, found, bound) {
  const { atLeast, atMost } = bound;
  if (atLeast !== undefined) return { text, found, bound, passed: found.median >= atLeast };
  return { text, found, bound, passed: atMost === undefined ? undefined : found.median <= atMost };
}
