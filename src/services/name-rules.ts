import type { Rule } from './user-rules.js';

const maximumPersonName = 100;
const maximumAccountName = 100;

/** Maximum characters of the name of an application. */
export const maximumApplicationName = 100;

/** Maximum characters of the name of a passkey. */
export const maximumPasskeyName = 60;

/** The rule for the names of a user. The contract has the same rule, for the profile. */
export const personNameRule: Rule = (name) =>
  lengthError(name, maximumPersonName) ??
  (/^[^\s\p{Cc}]\P{Cc}*$/u.test(name)
    ? undefined
    : 'must not begin with white space or contain control characters');

export const accountNameRule: Rule = (name) => labelError(name, maximumAccountName);

export const applicationNameRule: Rule = (name) => labelError(name, maximumApplicationName);

export const passkeyNameRule: Rule = (name) => labelError(name, maximumPasskeyName);

/**
 * Validates a name that pages and mails show within sentences, such as the name of an application on the consent page: it must
 * not be invisible or change the direction of the text beside it.
 */
function labelError(name: string, maximum: number): string | undefined {
  const error = lengthError(name, maximum);
  if (error !== undefined) return error;
  const isVisible =
    !/^\s|[\p{Cc}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Bidi_Control}]/u.test(name) &&
    /[\p{L}\p{N}\p{P}\p{S}]/u.test(name);
  return isVisible ? undefined : 'must have visible characters only';
}

function lengthError(name: string, maximum: number): string | undefined {
  if (name.trim() === '') return 'must not be blank';
  return [...name].length > maximum ? `must have at most ${maximum} characters` : undefined;
}
