import { isDeepStrictEqual } from 'node:util';

const open = 'x-extensible-enum';
const names = 'x-enum-varnames';

/**
 * Changes of the documented values of an open list. New values are additive. Opening or closing a list is classified as a
 * change of `enum`.
 */
export function* valueChanges(before, after, at) {
  if (before[open] === undefined && after[open] === undefined) return;
  const [was, is] = [before, after].map(valuesOf);
  const location = `${at}/${after[open] === undefined && after.enum !== undefined ? 'enum' : open}`;
  const lost = was.filter((value) => !is.includes(value));
  const gained = is.filter((value) => !was.includes(value));
  if (lost.length > 0) {
    yield {
      impact: 'breaking',
      at: location,
      message: `Documented values were removed: ${quoted(lost)}.`,
      names: [],
    };
  }
  if (gained.length > 0) {
    const message = `Documented values were added: ${quoted(gained)}.`;
    yield { impact: 'additive', at: location, message, names: gained };
  }
  const isReordered = lost.length + gained.length === 0 && was.some((value, index) => value !== is[index]);
  if (isReordered && before[open] !== undefined && after[open] !== undefined) {
    yield { impact: 'editorial', at: location, message: 'Documented values were reordered.', names: [] };
  }
}

/** Changes of the names of values in generated clients. A new value may have a new name. */
export function* nameChanges(before, after, at) {
  if (isDeepStrictEqual(before[names], after[names])) return;
  const location = `${at}/${names}`;
  const renamed = valuesOf(after).filter(
    (value) => valuesOf(before).includes(value) && nameOf(before, value) !== nameOf(after, value),
  );
  if (renamed.length > 0) {
    yield {
      impact: 'breaking',
      at: location,
      message: `Values were renamed: ${quoted(renamed)}.`,
      names: renamed,
    };
  } else {
    yield { impact: 'editorial', at: location, message: `\`${names}\` changed.`, names: [] };
  }
}

function valuesOf(schema) {
  return schema[open] ?? schema.enum ?? [];
}

function nameOf(schema, value) {
  return schema[names]?.[valuesOf(schema).indexOf(value)];
}

function quoted(values) {
  return values.map((value) => `'${value}'`).join(', ');
}
