import { demandsOf, shownBy } from './demands.mjs';

/**
 * Compares what the tests have seen with what the contract has.
 *
 * @param exchanges what was recorded
 * @param allowed `{ what, reason }`: what cannot be seen, with `*` for any word
 * @returns `missing`, what no test has seen and nobody excuses; `stale`, excuses that excuse nothing
 */
export function judge(document, exchanges, allowed) {
  const shown = new Set(exchanges.flatMap(shownBy));
  const demands = demandsOf(document);
  const unseen = demands.filter((demand) => !shown.has(demand));
  const excuses = allowed.map(({ what, reason }) => ({ what, reason, pattern: patternOf(what) }));
  return {
    demands: demands.length,
    missing: unseen.filter((demand) => !excuses.some(({ pattern }) => pattern.test(demand))),
    stale: excuses
      .filter(({ reason, pattern }) => !reason || !unseen.some((demand) => pattern.test(demand)))
      .map(({ what }) => what),
  };
}

function patternOf(what) {
  const words = what
    .split(' ')
    .map((word) => (word === '*' ? '\\S+' : word.replaceAll(/[.+[\]()]/g, '\\$&')));
  return new RegExp(`^${words.join(' ')}$`);
}
