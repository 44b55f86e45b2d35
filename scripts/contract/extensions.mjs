import { isDeepStrictEqual } from 'node:util';
import { escapeSegment, isExtension, pairsOf } from './pairs.mjs';
import { nameChanges, valueChanges } from './values.mjs';

// Numbers in these are presentation, not guarantees.
const presentation = new Set([
  'x-codeSamples',
  'x-displayName',
  'x-logo',
  'x-tagGroups',
  'x-traitTag',
  'x-enum-descriptions',
  // The sentence for a pattern, which Redocly compares.
  'x-rule',
]);

// Other functions classify these.
const classifiedElsewhere = new Set(['x-extensible-enum', 'x-enum-varnames', 'x-problems']);

/**
 * Changes of extensions. Redocly reports only some of the changes inside them. A number in an extension is a guarantee; any
 * other value is text.
 */
export function extensionChanges(released, contract) {
  return pairsOf(released, contract).flatMap(({ before, after, at }) => [
    ...valueChanges(before, after, at),
    ...nameChanges(before, after, at),
    ...memberChanges(before, after, at),
  ]);
}

function* memberChanges(before, after, at) {
  const names = Object.keys({ ...before, ...after }).filter(isExtension);
  for (const name of names) {
    if (classifiedElsewhere.has(name) || isDeepStrictEqual(before[name], after[name])) continue;
    const location = `${at}/${escapeSegment(name)}`;
    const changes = presentation.has(name) ? [] : numberChanges(before[name], after[name], location, name);
    if (changes.length > 0) yield* changes;
    else yield { impact: 'editorial', at: location, message: `\`${name}\` changed.`, names: [] };
  }
}

function numberChanges(before, after, location, name) {
  const [was, is] = [numbersOf(before, location), numbersOf(after, location)];
  const changed = [...new Set([...was.keys(), ...is.keys()])].filter((at) => was.get(at) !== is.get(at));
  return changed.map((at) => {
    const number = at.slice(at.lastIndexOf('/') + 1);
    if (!was.has(at)) {
      return { impact: 'additive', at, message: `\`${number}\` was set to ${is.get(at)}.`, names: [name] };
    }
    const change = is.has(at)
      ? `changed from ${was.get(at)} to ${is.get(at)}`
      : `was removed: the value was ${was.get(at)}`;
    return { impact: 'breaking', at, message: `\`${number}\` ${change}.`, names: [name] };
  });
}

/** The numbers of a value, by their pointers. */
function numbersOf(value, at) {
  if (typeof value === 'number') return new Map([[at, value]]);
  if (typeof value !== 'object' || value === null) return new Map();
  return new Map(
    Object.entries(value).flatMap(([key, child]) => [...numbersOf(child, `${at}/${escapeSegment(key)}`)]),
  );
}
