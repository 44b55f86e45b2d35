/** The components of a version such as `1.2.3`. */
export function parseVersion(text) {
  const numbers = /^(\d+)\.(\d+)\.(\d+)$/.exec(text)?.slice(1).map(Number);
  if (numbers === undefined) throw new Error(`${text} is not a version such as 1.2.3`);
  return numbers;
}

/** Negative if the first version is lower, zero if the versions are equal, positive if the first is higher. */
export function compareVersions(a, b) {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  const index = left.findIndex((number, at) => number !== right[at]);
  return index === -1 ? 0 : left[index] - right[index];
}

/** The lowest version that changes of this impact require. */
export function nextVersion(released, impact) {
  const [major, minor, patch] = parseVersion(released);
  if (impact === 'additive') return `${major}.${minor + 1}.0`;
  return impact === 'editorial' ? `${major}.${minor}.${patch + 1}` : released;
}
