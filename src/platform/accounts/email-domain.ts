import { asciiDomain } from '../contract/outside-text.js';
import { type Violation, violation } from '../problems/rule-texts.js';
import { normalizeEmail } from './normalize.js';

/** The domain of an e-mail address in lower case and in ASCII form; empty when it has none. */
export function domainOf(email: string): string {
  const normalized = normalizeEmail(email);
  return asciiDomain(normalized.slice(normalized.lastIndexOf('@') + 1));
}

/** The rule for a domain of e-mail addresses, in ASCII form. */
export function domainRule(domain: string): Violation | undefined {
  const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
  return domain.length <= 253 && new RegExp(`^(?:${label}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$`).test(domain)
    ? undefined
    : violation('domain');
}
