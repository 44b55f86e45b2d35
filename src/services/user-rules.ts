import { maximumPasswordLength } from './passwords.js';

/** Says what is wrong with a value; undefined when nothing is. */
export type Rule = (value: string) => string | undefined;

/** Characters that a password has at least. */
export const minimumPasswordLength = 12;

const maximumEmailLength = 320;
const maximumNameLength = 100;
const maximumAccountNameLength = 100;

/** The rule for the e-mail address that somebody signs in with. */
export const emailRule: Rule = (email) =>
  /^[^\s@]+@[^\s@]+$/u.test(email) && email.length <= maximumEmailLength
    ? undefined
    : `must be an e-mail address of at most ${maximumEmailLength} characters`;

/** The rule for a given, family or other name of a person. */
export const personNameRule: Rule = (name) => nameFault(name, maximumNameLength);

/** The rule for the name of an account. */
export const accountNameRule: Rule = (name) => nameFault(name, maximumAccountNameLength);

/** The rule for a password: length alone, as NIST SP 800-63B section 5.1.1 recommends. */
export const passwordRule: Rule = (password) => {
  const length = [...password].length;
  if (length < minimumPasswordLength) return `must have at least ${minimumPasswordLength} characters`;
  // The sign-in page counts in this unit.
  return password.length > maximumPasswordLength
    ? `must have at most ${maximumPasswordLength} characters`
    : undefined;
};

function nameFault(name: string, maximum: number): string | undefined {
  if (name.trim() === '') return 'must not be blank';
  if ([...name].length > maximum) return `must have at most ${maximum} characters`;
  return /\p{Cc}/u.test(name) ? 'must not contain control characters' : undefined;
}
