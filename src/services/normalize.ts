import { composeText } from '../contract/storable-text.js';

/**
 * The form in which an e-mail address is stored and looked up: composed characters (NFC) in lower case. The same text
 * typed on another system may arrive decomposed.
 *
 * @see RFC 6532 section 3.1
 */
export function normalizeEmail(email: string): string {
  // Lower case can decompose again: there is no composed capital J with a caron, but there is a small one.
  return composeText(composeText(email).toLowerCase());
}

/** The form in which a new password is hashed: composed characters (NFC). @see NIST SP 800-63B section 5.1.1.2 */
export function normalizePassword(password: string): string {
  return composeText(password);
}
