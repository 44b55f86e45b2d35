import { resolve, unescapeSegment } from './pairs.mjs';

const methods = new Set(['get', 'post', 'put', 'patch', 'delete']);

/** Where a change is, in the contract as it is now or, for what is gone, as it was. */
export function placeOf({ base, revision }) {
  return (revision ?? base).pointer;
}

/** What a change is, in one line. */
export function messageOf({ kind, typeName, property, base, revision, verdicts }) {
  if (verdicts.length > 0) return verdicts.map(({ message }) => message).join(' ');
  if (kind !== 'modified') return `${typeName} was ${kind}.`;
  return `\`${property}\` changed from ${JSON.stringify(base.value)} to ${JSON.stringify(revision.value)}.`;
}

/**
 * The names under which the changelog has to tell of a change: the operation, if it is in one, and the innermost
 * thing with a name; of a list of values the new ones.
 */
export function namesOf(change, document) {
  const { property, base, revision } = change;
  const { operations, innermost } = named(placeOf(change), document);
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
