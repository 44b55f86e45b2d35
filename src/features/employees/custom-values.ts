import { isDeepStrictEqual } from 'node:util';
import { nameTextRule } from '../../platform/accounts/name-rules.js';
import { isDateText, isStorableText } from '../../platform/contract/outside-text.js';
import { type Violation, violation } from '../../platform/problems/rule-texts.js';
import type { CustomAttribute, CustomType } from './custom-attributes.js';
import type { CustomChanges, CustomValue, CustomValues } from './employee.js';

/** Maximum characters of a text. The database has the same limits. */
const maximumText = 255;
const maximumLongText = 2_000;

/** Maximum bytes of the values of the custom attributes that a record or a form has, as {@link customBytes}. */
export const maximumCustomBytes = 16_000;

/**
 * Maximum bytes of all values that an employee has, with those of archived custom attributes, as {@link customBytes}. The database
 * has a limit of 32,768 for its own text, which has a space after each name and each choice.
 */
export const maximumStoredBytes = 30_000;

/** Digits that every reader of JSON can represent: 11 before and 4 after the decimal point. */
const numberForm = /^-?\d{1,11}(?:\.\d{1,4})?$/;

/** Yes and no as people and spreadsheets write them, in English, German, French, Spanish, Italian, Portuguese and Dutch. */
const yes = new Set('true yes y 1 ja wahr oui vrai sí si verdadero sì vero sim verdadeiro waar'.split(' '));
const no = new Set('false no n 0 nein falsch non faux falso não nee onwaar'.split(' '));

/** Between several choices in a file. */
const choiceSeparator = /[;\n]/;

type Parsed = { readonly value: CustomValue | null } | { readonly violation: Violation };

const valid = (value: CustomValue): Parsed => ({ value });
const invalid = (violation: Violation): Parsed => ({ violation });

type Attribute = Pick<CustomAttribute, 'type' | 'choices'>;

const parsers: Readonly<Record<CustomType, (given: unknown, attribute: Attribute) => Parsed>> = {
  text: (given) => parseText(given, maximumText),
  long_text: (given) => parseText(given, maximumLongText),
  number: (given) =>
    (typeof given === 'number' || typeof given === 'string') && numberForm.test(String(given))
      ? valid(Number(given) + 0)
      : invalid(violation('decimal_number')),
  date: (given) => (isDateText(given) ? valid(given as string) : invalid(violation('existing_date'))),
  boolean(given) {
    const text = String(given).toLowerCase();
    if (yes.has(text)) return valid(true);
    return no.has(text) ? valid(false) : invalid(violation('yes_or_no'));
  },
  choice(given, { choices }) {
    const chosen = findChoice(given, choices);
    return chosen === undefined ? invalid(violation('one_of', { values: choices })) : valid(chosen);
  },
  choices(given, { choices }) {
    const parts = typeof given === 'string' ? given.split(choiceSeparator) : given;
    const names = (Array.isArray(parts) ? parts : [parts]).filter((part) => !isBlank(part));
    const chosen = new Set(names.map((part) => findChoice(part, choices)));
    if (chosen.has(undefined)) return invalid(violation('some_of', { values: choices }));
    return chosen.size === 0 ? { value: null } : valid(choices.filter((choice) => chosen.has(choice)));
  },
  // Whether the employee exists is checked in the transaction that stores the value.
  employee: (given) => parseText(given, maximumText),
};

/**
 * Reads a value of a custom attribute from JSON, or from the text of a file or a form. White space at the ends of a text is removed; a
 * blank text is no value.
 */
export function parseCustomValue(attribute: Attribute, given: unknown): Parsed {
  if (given === null || given === undefined || isBlank(given)) return { value: null };
  return parsers[attribute.type](typeof given === 'string' ? given.trim() : given, attribute);
}

/** The rule that a text violates which is compared with numbers or dates. White space at its ends is part of it. */
export function comparedTextRule(type: 'number' | 'date', text: string): Violation | undefined {
  const parsed = parsers[type](text, { type, choices: [] });
  return 'violation' in parsed ? parsed.violation : undefined;
}

/** Whether a value is a text without characters other than white space. */
export function isBlank(given: unknown): boolean {
  return typeof given === 'string' && given.trim() === '';
}

function parseText(given: unknown, maximum: number): Parsed {
  if (typeof given !== 'string') return invalid(violation('type', { types: ['string'] }));
  if ([...given].length > maximum) return invalid(violation('maximum_length', { maximum }));
  if (!isStorableText(given)) return invalid(violation('storable_text'));
  // The decoder replaces invalid bytes by this character. Storing it would lose the original text.
  if (given.includes('\uFFFD')) return invalid(violation('utf_8'));
  const lines = maximum === maximumLongText ? given.split(/[\r\n\t]+/).map((line) => line.trim()) : [given];
  const found = lines.map((line) => nameTextRule(line)).find((violated) => violated !== undefined);
  return found === undefined ? valid(given) : invalid(found);
}

function findChoice(given: unknown, choices: readonly string[]): string | undefined {
  if (typeof given !== 'string') return undefined;
  const text = given.trim();
  return (
    choices.find((choice) => choice === text) ??
    choices.find((choice) => choice.toLowerCase() === text.toLowerCase())
  );
}

/** The value of a custom attribute; `undefined`: none. The key can be the name of a member that every object inherits. */
export function customValue<Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

/** A value as text, for the audit log and for files. */
export function formatCustomValue(value: CustomValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? value.join('; ') : String(value);
}

/** The values after changes. */
export function withCustomChanges(before: CustomValues, changes: CustomChanges = {}): CustomValues {
  const values = Object.entries({ ...before, ...changes });
  return Object.fromEntries(values.filter((entry): entry is [string, CustomValue] => entry[1] !== null));
}

/** Bytes of values as JSON. */
export function customBytes(values: Readonly<Record<string, unknown>>): number {
  return Buffer.byteLength(JSON.stringify(values));
}

/** Keys of the values that differ, in alphabetical order. */
export function changedKeys(before: CustomValues, after: CustomValues): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys]
    .filter((key) => !isDeepStrictEqual(customValue(before, key), customValue(after, key)))
    .toSorted();
}
