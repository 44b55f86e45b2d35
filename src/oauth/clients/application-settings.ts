import { applicationNameRule } from '../../platform/accounts/name-rules.js';
import { sentence } from '../../platform/problems/rule-texts.js';
import type { ClientType } from './client-registry.js';
import { redirectUriError } from './redirect-uri.js';

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

export interface SettingsRules {
  readonly clientType: ClientType;
  /** All scopes of the contract. */
  readonly knownScopes: readonly string[];
  readonly allowLocalhost: boolean;
  /** The stored name of an application that exists, which may be older than the rule. */
  readonly storedName?: string;
}

export const maximumRedirectUris = 20;

/** Formats a boolean setting for the audit log. */
export function yesOrNo(setting: boolean): string {
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
