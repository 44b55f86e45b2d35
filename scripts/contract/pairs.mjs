// Maps whose keys are names chosen by the contract: a key that starts with x- is not an extension.
const maps = new Set([
  'properties',
  'patternProperties',
  'headers',
  'schemas',
  'parameters',
  'requestBodies',
  'securitySchemes',
  'scopes',
  'content',
  'encoding',
  'variables',
  'links',
  'callbacks',
]);

// Members whose value is data.
const literals = new Set(['example', 'examples', 'default', 'const', 'enum']);

/**
 * Every object, other than maps of names, that both contracts have.
 *
 * @returns `before` and `after`, and `at`, the pointer of the object in `contract`
 */
export function pairsOf(released, contract) {
  const seen = new Map();
  return [...visit(released, contract, '#', false)];

  function* visit(first, second, location, isMap) {
    if (first?.$ref !== undefined && first.$ref === second?.$ref) return;
    const before = resolve(released, first).node;
    const { node: after, at } = resolve(contract, second, location);
    if (!isObject(before) || !isObject(after) || seen.get(before)?.has(after)) return;
    seen.set(before, (seen.get(before) ?? new Set()).add(after));
    if (!isMap && !Array.isArray(after)) yield { before, after, at };
    for (const [key, child] of Object.entries(after)) {
      if (!isMap && (isExtension(key) || literals.has(key))) continue;
      const counterpart = Array.isArray(after) ? before.find?.(isSame(child, Number(key))) : before[key];
      yield* visit(counterpart, child, `${at}/${escapeSegment(key)}`, !isMap && maps.has(key));
    }
  }
}

/** Whether a member of an object that is not a map of names is an extension. */
export function isExtension(key) {
  return key.startsWith('x-');
}

/** Whether one of the segments of a pointer is the name of an extension. */
export function isInExtension(segments) {
  return segments.some((segment, index) => isExtension(segment) && !maps.has(segments[index - 1]));
}

/** The node that references lead to, and its pointer. */
export function resolve(document, node, at) {
  if (typeof node?.$ref !== 'string') return { node, at };
  const segments = node.$ref.slice('#/'.length).split('/').map(unescapeSegment);
  return resolve(
    document,
    segments.reduce((parent, segment) => parent?.[segment], document),
    node.$ref,
  );
}

export function escapeSegment(segment) {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}

export function unescapeSegment(segment) {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Matches entries of lists by reference, name or URL, and other entries by position. */
function isSame(entry, position) {
  const identity = identityOf(entry);
  return (other, index) => (identity === undefined ? index === position : identityOf(other) === identity);
}

function identityOf(entry) {
  if (entry?.$ref !== undefined) return entry.$ref;
  if (entry?.name !== undefined) return `${entry.in} ${entry.name}`;
  return entry?.url;
}

function isObject(node) {
  return typeof node === 'object' && node !== null;
}
