import { asciiDomain, normalizeNfc } from '../contract/outside-text.js';

/**
 * Normalizes an e-mail address to the form in which it is stored and looked up: composed characters (NFC) in lower case.
 * Operating systems differ in whether typed text is composed.
 *
 * @see RFC 6532 section 3.1
 */
export function normalizeEmail(email: string): string {
  // Lower case can need composition again: Unicode has a composed ǰ, but no composed capital letter for it.
  return normalizeNfc(normalizeNfc(email).toLowerCase());
}

/** The domain of an e-mail address in lower case and in ASCII form; empty when it has none. */
export function domainOf(email: string): string {
  const normalized = normalizeEmail(email);
  return asciiDomain(normalized.slice(normalized.lastIndexOf('@') + 1));
}

/** Normalizes a password to the form in which it is hashed: composed characters (NFC). @see NIST SP 800-63B section 5.1.1.2 */
export function normalizePassword(password: string): string {
  return normalizeNfc(password);
}
