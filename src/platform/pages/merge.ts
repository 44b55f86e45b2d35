import { asSubmitted, type Fields, isUnchanged } from './fields.js';
import type { HiddenFields } from './form-parts.js';

/** The values of a form, by the names of its fields. */
type Values = Readonly<Record<string, string>>;

function openedName(name: string): string {
  return `opened_${name}`;
}

/** Hidden fields with the values that a form was opened with. */
export function openedFields(values: Values): HiddenFields {
  return Object.entries(values).map(([name, value]) => [openedName(name), value]);
}

/** The values that a submitted form was opened with. */
export function readOpened(form: Fields, names: readonly string[]): Values {
  return Object.fromEntries(names.map((name) => [name, form.text(openedName(name))]));
}

interface Merge {
  /** The values of the user where the user has changed them, otherwise those that are stored. */
  readonly values: Values;
  /** Names of the fields that the user and someone else have changed differently. */
  readonly conflicts: readonly string[];
}

/**
 * Merges a submitted form with what others have stored since it was opened. A form that does not have the values that it was
 * opened with conflicts wherever it would replace a value.
 */
export function mergeForm({
  opened,
  submitted,
  stored,
}: {
  opened: Values;
  submitted: Values;
  stored: Values;
}): Merge {
  const conflicts: string[] = [];
  const values = Object.entries(submitted).map(([name, value]) => {
    const [before = '', now = ''] = [opened[name], stored[name]];
    if (isUnchanged(value, before)) return [name, asSubmitted(now)];
    if (!isUnchanged(before, now) && !isUnchanged(value, now)) conflicts.push(name);
    return [name, value];
  });
  return { values: Object.fromEntries(values), conflicts };
}
