import { ratios, type Spread } from '../kit/statistics.js';
import type { Sample } from './sample.js';

export interface Bound {
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** A required bound, and the measured value. */
export interface Bar {
  readonly text: string;
  readonly found: Spread;
  readonly bound: Bound;
  /** Whether the median is within the bound; undefined where there is none. */
  readonly passed?: boolean;
}

const metrics = {
  perServerSecond: 'requests per processor second of the server',
  perTotalSecond: 'requests per processor second of server and PostgreSQL',
  perSecond: 'requests per second',
};

/** Compares two servers round by round. */
export function compare(
  samples: ReadonlyMap<string, readonly Sample[]>,
  {
    of,
    against,
    bound,
    metric = 'perServerSecond',
  }: { of: string; against: string; bound: Bound; metric?: keyof typeof metrics },
): Bar {
  const values = (name: string) => (samples.get(name) ?? []).map((sample) => sample[metric]);
  return bar(`${of} ÷ ${against}: ${metrics[metric]}`, ratios(values(of), values(against)), bound);
}

export function bar(text: string, found: Spread, bound: Bound): Bar {
  const { atLeast, atMost } = bound;
  if (atLeast !== undefined) return { text, found, bound, passed: found.median >= atLeast };
  if (atMost !== undefined) return { text, found, bound, passed: found.median <= atMost };
  return { text, found, bound };
}
