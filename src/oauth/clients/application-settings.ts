import { applicationNameRule } from '../../platform/accounts/name-rules.js';
import { parseUrl } from '../../platform/contract/outside-text.js';
import { sentence } from '../../platform/problems/rule-texts.js';
import type { ClientType } from './client-registry.js';

/** Maximum length of a redirect URI, in characters. */
const maximumRedirectUriLength = 2000;

/**
 * Validates a redirect URI. Returns an error as a sentence for the user; `undefined` when the URI is valid.
 *
 * @param allowLocalhost whether `http://localhost` is valid, with any port and path; `false` in production
 * @see RFC 9700 section 2.1 and RFC 6749 section 3.1.2
 */
export function redirectUriError(
  uri: string,
  { allowLocalhost }: { allowLocalhost: boolean },
): string | undefined {
  if (uri.length > maximumRedirectUriLength) {
    return `The redirect URI is longer than ${maximumRedirectUriLength} characters.`;
  }
  // URL parsers remove or replace other characters, each in its own way.
  if (!/^[!-~]+$/.test(uri) || /[\\"<>^`{|}]/.test(uri)) {
    return 'Remove spaces, and percent-encode all characters that a URI cannot contain.';
  }
  if (uri.includes('*')) return 'Wildcards (*) are not supported: register each URI in full.';
  if (uri.includes('#'))
    return 'The redirect URI must not have a fragment: remove “#” and everything after it.';
  const authority = /^[^:/?]+:\/\/([^/?]*)/.exec(uri)?.[1] ?? '';
  const url = authority === '' ? undefined : parseUrl(uri);
  if (url === undefined) {
    return 'This is not a complete address, such as https://app.example.com/callback.';
  }
  if (authority.includes('@')) return 'The redirect URI must not contain a user name or password.';
  return schemeError(url, allowLocalhost);
}

function schemeError({ protocol, hostname }: URL, allowLocalhost: boolean): string | undefined {
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:' && hostname === 'localhost' && allowLocalhost) return undefined;
  if (protocol === 'http:' && hostname === 'localhost') {
    return 'http://localhost is for development only: use a redirect URI that starts with https://.';
  }
  return allowLocalhost
    ? 'The redirect URI must start with https://. For development, http://localhost is also allowed.'
    : 'The redirect URI must start with https://.';
}

/** Settings of an application that administrators can change. */
export interface ApplicationSettings {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  /** Whether every token request must contain the client secret. It has no effect on a public application. */
  readonly requireClientSecret: boolean;
}

/** Validation errors of settings, as sentences for the user. */
export interface SettingsErrors {
  readonly name?: string;
  /** By line of the redirect URI, from 1; 0 for an error of all. */
  readonly redirectUris: ReadonlyMap<number, string>;
  readonly scopes?: string;
}

interface SettingsRules {
  readonly clientType: ClientType;
  /** All scopes of the contract. */
  readonly knownScopes: readonly string[];
  readonly allowLocalhost: boolean;
  /** The stored name of an application that exists, which may be older than the rule. */
  readonly storedName?: string;
}

const maximumRedirectUris = 20;

/** Formats a boolean setting for the audit log. */
export function formatBoolean(setting: boolean): string {
  return setting ? 'yes' : 'no';
}

/** Validates settings and returns all errors; `null` when the settings are valid. */
export function findSettingsErrors(
  settings: ApplicationSettings,
  rules: SettingsRules,
): SettingsErrors | null {
  const nameError = settings.name === rules.storedName ? undefined : applicationNameRule(settings.name);
  const name = nameError && sentence('The name', nameError);
  const redirectUris = redirectUriErrors(settings.redirectUris, rules);
  const scopes = scopesError(settings.scopes, rules);
  if (name === undefined && scopes === undefined && redirectUris.size === 0) return null;
  return { redirectUris, ...(name !== undefined && { name }), ...(scopes !== undefined && { scopes }) };
}

function redirectUriErrors(
  uris: readonly string[],
  { clientType, allowLocalhost }: SettingsRules,
): ReadonlyMap<number, string> {
  if (uris.length === 0 && clientType === 'public') {
    return new Map([[0, 'Enter a redirect URI: a public application needs one to sign users in.']]);
  }
  if (uris.length > maximumRedirectUris) {
    return new Map([[0, `Enter at most ${maximumRedirectUris} redirect URIs. These are ${uris.length}.`]]);
  }
  const errors = new Map<number, string>();
  for (const [index, uri] of uris.entries()) {
    const first = uris.indexOf(uri);
    const error =
      first < index
        ? `This is the same URI as in line ${first + 1}.`
        : redirectUriError(uri, { allowLocalhost });
    if (error !== undefined) errors.set(index + 1, error);
  }
  return errors;
}

function scopesError(scopes: readonly string[], { knownScopes }: SettingsRules): string | undefined {
  if (scopes.length === 0) return 'Choose at least one scope.';
  return scopes.every((scope) => knownScopes.includes(scope))
    ? undefined
    : 'Choose from the scopes in the list.';
}
