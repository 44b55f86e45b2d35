import { coveredBy, requirementsOf } from './requirements.mjs';

/**
 * Compares the exchanges that the tests recorded with the requirements of the contract.
 *
 * @param exceptions `{ lines, reason }`: requirements that no test can cover, and why
 * @returns `required`, the number of requirements; `missing`, those that are neither covered nor exceptions; `stale`,
 *   exceptions that are covered, unknown or without a reason
 */
export function coverageOf(document, exchanges, exceptions) {
  const covered = new Set(exchanges.flatMap(coveredBy));
  const requirements = requirementsOf(document);
  const uncovered = requirements.filter((requirement) => !covered.has(requirement));
  const excepted = exceptions.flatMap(({ lines, reason }) => lines.map((line) => ({ line, reason })));
  return {
    required: requirements.length,
    missing: uncovered.filter((requirement) => !excepted.some(({ line }) => line === requirement)),
    stale: excepted
      .filter(({ line, reason }) => !reason || !uncovered.includes(line))
      .map(({ line }) => line),
  };
}
