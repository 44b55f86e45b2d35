import type { ErrorObject } from 'ajv';

/** Findings of a branch that are compared. An array with many invalid items has one for each item. */
const maximumFindings = 100;

/**
 * Reduces the findings about a body that matches no branch of its `oneOf` to those of the most likely branch. Findings
 * that all branches share are reported once.
 *
 * @param findings all findings of one validation; a finding of a branch has its index in `schemaPath`
 */
export function chooseBranch(findings: readonly ErrorObject[]): readonly ErrorObject[] {
  const union = findings.find(({ keyword }) => keyword === 'oneOf');
  if (union === undefined) return findings;
  const prefix = `${union.schemaPath}/`;
  const branches = groupByBranch(findings, prefix);
  // A value that matches several branches has no findings about any of them.
  if (branches.length === 0) return findings;
  const found = countBranches(branches);
  const isCommon = (finding: ErrorObject) =>
    branches.length > 1 && found.get(identity(finding)) === branches.length;
  const chosen = mostLikely(branches.map((branch) => branch.filter((finding) => !isCommon(finding))));
  const common = (branches[0] ?? []).filter(isCommon);
  const others = findings.filter((finding) => finding !== union && !finding.schemaPath.startsWith(prefix));
  return [...others, ...common, ...chosen];
}

function groupByBranch(findings: readonly ErrorObject[], prefix: string): ErrorObject[][] {
  const branches = new Map<string, ErrorObject[]>();
  for (const finding of findings) {
    if (!finding.schemaPath.startsWith(prefix)) continue;
    const [index = ''] = finding.schemaPath.slice(prefix.length).split('/', 1);
    const branch = branches.get(index);
    if (branch === undefined) branches.set(index, [finding]);
    else if (branch.length < maximumFindings) branch.push(finding);
  }
  return [...branches.values()];
}

/** Number of branches that have each finding. */
function countBranches(branches: readonly (readonly ErrorObject[])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const branch of branches) {
    for (const name of new Set(branch.map(identity))) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function identity({ instancePath, keyword, params }: ErrorObject): string {
  return JSON.stringify([instancePath, keyword, params]);
}

/**
 * The branch with the fewest mismatches, then with the fewest findings. When two members exclude each other, the last
 * branch is chosen, which reports the first of them.
 */
function mostLikely(branches: readonly (readonly ErrorObject[])[]): readonly ErrorObject[] {
  return branches.reduce((best, branch) => {
    const order = mismatches(branch) - mismatches(best) || branch.length - best.length;
    return order < 0 || (order === 0 && mismatches(branch) > 0) ? branch : best;
  });
}

function mismatches(branch: readonly ErrorObject[]): number {
  return branch.filter(isMismatch).length;
}

/** Findings that make a branch unlikely: a required member is missing, or a sent member must be empty. */
function isMismatch({ keyword, params }: ErrorObject): boolean {
  return keyword === 'required' || (keyword === 'maxItems' && params.limit === 0);
}
