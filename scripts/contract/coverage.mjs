import { demandsOf, shownBy } from './demands.mjs';

/**
 * Compares what the tests have seen with what the contract has.
 *
 * @param exchanges what was recorded
 * @param allowed `{ what, reason }`: lines that cannot be seen, and why
 * @returns `missing`, what no test has seen and nobody excuses; `stale`, excuses that excuse nothing
 */
export function judge(document, exchanges, allowed) {
  const shown = new Set(exchanges.flatMap(shownBy));
  const demands = demandsOf(document);
  const unseen = demands.filter((demand) => !shown.has(demand));
  const excuses = allowed.flatMap(({ what, reason }) => what.map((line) => ({ line, reason })));
  return {
    demands: demands.length,
    missing: unseen.filter((demand) => !excuses.some(({ line }) => line === demand)),
    stale: excuses.filter(({ line, reason }) => !reason || !unseen.includes(line)).map(({ line }) => line),
  };
}
