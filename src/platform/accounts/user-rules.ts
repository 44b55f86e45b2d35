import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { type Check, type Violation, violation } from '../problems/rule-texts.js';
import { addressTextRule } from './name-rules.js';
import { normalizeEmail, normalizePassword } from './normalize.js';
import { maximumPasswordLength } from './passwords.js';

/** Characters that are examined, from the first one. It limits the time to about 50 ms. */
const maximumExaminedLength = 32;

/** Scores 0 and 1 need fewer than a million guesses, which an attacker can make at the sign-in page over months. */
const minimumScore = 2;

let estimator: Promise<ZxcvbnFactory> | undefined;

/**
 * Whether a password is among those that attackers try first: one of the most common passwords, with common changes,
 * repetitions, sequences and keyboard patterns. There are no rules about its characters.
 *
 * @see NIST SP 800-63B section 5.1.1.2
 */
async function isCommonPassword(password: string): Promise<boolean> {
  estimator ??= createEstimator();
  return (await estimator).check(password.slice(0, maximumExaminedLength)).score < minimumScore;
}

/** Loaded with the first password that is set: the list takes 25 MB of memory. */
async function createEstimator(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
}

/** Minimum length of a password, in characters. */
const minimumPasswordLength = 12;

const maximumEmailLength = 320;

/**
 * A mailbox in one spelling, so that its mails are counted together and its domain is recognized: no quoted text, comments, or
 * angle brackets, which the mail library removes, and a host name without a final dot or an address literal.
 *
 * @see RFC 5321 section 4.1.2
 */
const mailbox = /^[^"(),:;<>[\\\]]+@(?:[\w\u{80}-\u{10FFFF}-]+(?:\.[\w\u{80}-\u{10FFFF}-]+)*|\[[\w.:]+\])$/u;

/** The rule for the e-mail address that a user signs in with, in the form in which it is stored. */
export const emailRule: Check = (email) => {
  const error = emailFormRule(email) ?? addressTextRule(normalizeEmail(email));
  if (error !== undefined) return error;
  return mailbox.test(normalizeEmail(email)) ? undefined : violation('mailbox');
};

/** The rule for an address that is looked up. Stored addresses may be older than {@link addressTextRule}. */
export const emailFormRule: Check = (email) =>
  /^[^\s@]+@[^\s@]+$/u.test(email) && normalizeEmail(email).length <= maximumEmailLength
    ? undefined
    : violation('email_form', { maximum: maximumEmailLength });

/** The rule for the length of a password after normalization. */
export const passwordLengthRule: Check = (password) => {
  const normalized = normalizePassword(password);
  const length = [...normalized].length;
  if (length < minimumPasswordLength) return violation('minimum_length', { minimum: minimumPasswordLength });
  // In UTF-16 code units, as the `maxlength` of the pages.
  return normalized.length > maximumPasswordLength
    ? violation('maximum_length', { maximum: maximumPasswordLength })
    : undefined;
};

/**
 * Validates a new password: its length, and that it is not easily guessed. There are no other rules, as NIST SP 800-63B
 * section 5.1.1.2 recommends.
 */
export async function passwordError(password: string): Promise<Violation | undefined> {
  const error = passwordLengthRule(password);
  if (error !== undefined) return error;
  return (await isCommonPassword(normalizePassword(password))) ? violation('password_strength') : undefined;
}
