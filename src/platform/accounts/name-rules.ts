import { isCanonicalDomain, isNormalized, normalizeNfc } from '../contract/outside-text.js';
import { type Check, type Violation, violation } from '../problems/rule-texts.js';

const maximumPersonName = 100;
const maximumAccountName = 100;

/** Maximum characters of the name of an application. */
export const maximumApplicationName = 100;

/** Maximum characters of the label of a custom attribute. */
export const maximumAttributeLabel = 100;

/** Maximum characters of the name of a passkey. */
export const maximumPasskeyName = 60;

/** Control characters, line separators, format characters such as those that change the direction of text, and blank letters. */
const invisible = String.raw`\u0000-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB`;

/** Characters with the canonical combining class 9. */
const virama = String.raw`\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D3B\u0D3C\u0D4D\u0DCA\u0E3A\u0EBA\u0F84\u1039\u103A\u1714\u1715\u1734\u17D2\u1A60\u1B44\u1BAA\u1BAB\u1BF2\u1BF3\u2D7F\uA806\uA82C\uA8C4\uA953\uA9C0\uAAF6\uABED`;

/** Blocks of scripts whose letters join: Arabic, Syriac, N'Ko, Mandaic, Mongolian and Phags-pa. */
const joining = String.raw`\u0620-\u077F\u07C0-\u07FF\u0840-\u08FF\u1807-\u180D\u180F-\u18AA\uA840-\uA877`;

/**
 * Pattern of a name that people read: of users and employees, of departments, places and applications, and titles. It has no
 * control, format or bidirectional control characters, and no white space at its ends. U+200C is valid after a virama and
 * between two characters of a script whose letters join, U+200D after a virama.
 *
 * RFC 5892 appendix A states this by joining types, which regular expressions do not know: this pattern also accepts U+200C
 * beside characters of these scripts that do not join. It does not accept joiners in scripts beyond the Basic Multilingual Plane.
 *
 * The contract has the same text. It has neither property escapes nor lookbehind, which some code generators do not support.
 * The time is linear: a text matches in one way at most.
 *
 * @see RFC 5892 appendix A.1 and A.2
 */
export const namePattern =
  String.raw`^(?!\s|.*\s$)` +
  String.raw`(?:[${virama}][\u200C\u200D]|[${joining}](?:\u200C[${joining}])+|[^${invisible}])*$`;

const name = new RegExp(namePattern, 'u');

/** The rule for the characters of a name. It does not limit the length, and accepts an empty text. */
export const nameTextRule: Check = (text) => (name.test(text) ? undefined : violation('name_text'));

/** The rule for the names of a user. The contract has the same rule, for the profile. */
export const personNameRule: Check = (text) => lengthError(text, maximumPersonName) ?? nameTextRule(text);

export const accountNameRule: Check = (text) => labelError(text, maximumAccountName);

export const applicationNameRule: Check = (text) => labelError(text, maximumApplicationName);

/** The rule for the label of a custom attribute, and for each of its choices. */
export const attributeLabelRule: Check = (text) => labelError(text, maximumAttributeLabel);

export const passkeyNameRule: Check = (text) => labelError(text, maximumPasskeyName);

/**
 * Validates a name that pages and mails show within sentences, such as the name of an application on the consent page: it must
 * also have a visible character, and no unassigned ones.
 */
function labelError(text: string, maximum: number): Violation | undefined {
  const error = lengthError(text, maximum) ?? nameTextRule(text);
  if (error !== undefined) return error;
  const isVisible = !/[\p{Co}\p{Cn}]/u.test(text) && /[\p{L}\p{N}\p{P}\p{S}]/u.test(text);
  return isVisible ? undefined : violation('visible_text');
}

function lengthError(text: string, maximum: number): Violation | undefined {
  if (text.trim() === '') return violation('not_blank');
  return [...text].length > maximum ? violation('maximum_length', { maximum }) : undefined;
}

/**
 * The rule for the characters of an e-mail address of at most 320 characters, so that no two addresses look the same: no
 * invisible, full-width or other compatibility characters. The domain is ASCII, or an internationalized domain name in
 * its canonical form.
 *
 * @see RFC 6531 section 3.3, and UTS #46 for the domain
 */
export const addressTextRule: Check = (address) => {
  if (/^[!-~]+$/.test(address)) return undefined;
  const text = normalizeNfc(address);
  const domain = text.slice(text.lastIndexOf('@') + 1);
  if (!isNormalized(text) || /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(text))
    return violation('email_characters');
  return isCanonicalDomain(domain) ? undefined : violation('email_domain');
};
