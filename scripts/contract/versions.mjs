/** The numbers of a version such as `1.2.3`. */
export function parseVersion(text) {
  const numbers = /^(\d+)\.(\d+)\.(\d+)$/.exec(text)?.slice(1).map(Number);
  if (numbers === undefined) throw new Error(`${text} is not a version such as 1.2.3`);
  return numbers;
}

/** Negative, zero or positive, as the first version is lower than, equal to or higher than the second. */
export function compareVersions(a, b) {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  const index = left.findIndex((number, place) => number !== right[place]);
  return index === -1 ? 0 : left[index] - right[index];
}

/** The lowest version that may tell of changes of this impact. */
export function nextVersion(released, impact) {
  const [major, minor, patch] = parseVersion(released);
  if (impact === 'additive') return `${major}.${minor + 1}.0`;
  return impact === 'editorial' ? `${major}.${minor}.${patch + 1}` : released;
}
