import { resolve, unescapeSegment } from './pairs.mjs';

const methods = new Set(['get', 'post', 'put', 'patch', 'delete']);

/** The location of a change: a pointer into the current contract or, for a removal, into the released one. */
export function locationOf({ base, revision }) {
  return (revision ?? base).pointer;
}

/** Describes a change in one line. */
export function messageOf({ kind, typeName, property, base, revision, verdicts }) {
  if (verdicts.length > 0) return verdicts.map(({ message }) => message).join(' ');
  if (kind !== 'modified') return `${typeName} was ${kind}.`;
  return `\`${property}\` changed from ${JSON.stringify(base.value)} to ${JSON.stringify(revision.value)}.`;
}

/**
 * The names that the changelog must mention for a change: the operation that contains it, if any, and the innermost
 * element with a name. For a list of values, these are the new values.
 */
export function namesOf(change, document) {
  const { property, base, revision } = change;
  const { operations, innermost } = named(locationOf(change), document);
  const gained =
    property === 'enum' ? revision.value?.filter((value) => base.value?.includes(value) === false) : [];
  return gained?.length > 0 ? gained : [...operations, ...innermost];
}

function named(pointer, document) {
  let node = document;
  let operations = [];
  let innermost = [];
  const segments = pointer.slice(2).split('/').map(unescapeSegment);
  for (const [index, segment] of segments.entries()) {
    const parent = segments[index - 1];
    ({ node } = resolve(document, node?.[segment]));
    if (parent === 'paths' && index === 1) {
      innermost = operationIds(node);
    } else if (segments[0] === 'paths' && index === 2 && methods.has(segment)) {
      operations = [node.operationId];
      innermost = [];
    } else if (parent === 'parameters') {
      innermost = [node.name];
    } else if (['properties', 'headers', 'responses', 'content', 'schemas', 'flows'].includes(parent)) {
      innermost = [segment];
    }
  }
  return { operations, innermost };
}

function operationIds(pathItem) {
  return Object.entries(pathItem)
    .filter(([method]) => methods.has(method))
    .map(([, { operationId }]) => operationId);
}
