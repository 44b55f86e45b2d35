/**
 * Redocly pairs servers by the similarity of their text. A server with a new description can be reported as removed and
 * added; they are joined into one editorial change.
 */
export function joinServers(changes) {
  const removed = changes.filter(({ kind, typeName }) => kind === 'removed' && typeName === 'Server');
  const isSame = (added) => (other) =>
    other.path.replace(/\/\d+$/, '') === added.path.replace(/\/\d+$/, '') &&
    other.base.value.url === added.revision.value.url;
  const joined = new Map();
  for (const added of changes.filter(({ kind, typeName }) => kind === 'added' && typeName === 'Server')) {
    const base = removed.find(isSame(added));
    if (base !== undefined) joined.set(added, base);
  }
  const replaced = new Set(joined.values());
  return changes
    .filter((change) => !replaced.has(change))
    .map((change) => (joined.has(change) ? described(change) : change));
}

function described({ path, typeName, revision }) {
  const { pointer, value } = revision;
  const description = { pointer: `${pointer}/description`, value: value.description };
  return {
    path,
    typeName,
    kind: 'modified',
    property: 'description',
    verdicts: [],
    base: {},
    revision: description,
  };
}
