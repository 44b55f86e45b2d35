import type { ClientType } from './client-registry.js';
import { redirectUriError } from './redirect-uri.js';

/** What an administrator decides about an application. */
export interface ApplicationSettings {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  /** Whether every token request must contain the client secret. It has no effect on a public application. */
  readonly requireClientSecret: boolean;
}

/** What is wrong with settings, as sentences for the person who typed them. */
export interface SettingsErrors {
  readonly name?: string;
  /** By index of the redirect URI. */
  readonly redirectUris: ReadonlyMap<number, string>;
  readonly scopes?: string;
}

export interface SettingsRules {
  readonly clientType: ClientType;
  /** Every scope that there is. */
  readonly knownScopes: readonly string[];
  readonly allowLocalhost: boolean;
}

export const maximumNameLength = 100;
export const maximumRedirectUris = 20;

/** A setting that is on or off, as the audit log shows it. */
export function yesOrNo(setting: boolean): string {
  return setting ? 'yes' : 'no';
}

/** Everything that is wrong at once; `null` when the settings may be stored. */
export function findSettingsErrors(
  settings: ApplicationSettings,
  rules: SettingsRules,
): SettingsErrors | null {
  const name = nameError(settings.name);
  const redirectUris = redirectUriErrors(settings.redirectUris, rules);
  const scopes = scopesError(settings.scopes, rules);
  if (name === undefined && scopes === undefined && redirectUris.size === 0) return null;
  return { redirectUris, ...(name !== undefined && { name }), ...(scopes !== undefined && { scopes }) };
}

/** The name stands on the consent page: nothing in it may hide, or turn round what stands beside it. */
function nameError(name: string): string | undefined {
  if (name === '') return 'Enter a name.';
  if ([...name].length > maximumNameLength)
    return `Use at most ${maximumNameLength} characters for the name.`;
  if (
    /[\p{Cc}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Bidi_Control}]/u.test(name) ||
    !/[\p{L}\p{N}\p{P}\p{S}]/u.test(name)
  ) {
    return 'Use visible characters only for the name.';
  }
  return undefined;
}

function redirectUriErrors(
  uris: readonly string[],
  { clientType, allowLocalhost }: SettingsRules,
): ReadonlyMap<number, string> {
  if (uris.length === 0 && clientType === 'public') {
    return new Map([
      [0, 'Enter a redirect URI: a public application signs users in, and they come back to it.'],
    ]);
  }
  const errors = new Map<number, string>();
  for (const [index, uri] of uris.entries()) {
    const first = uris.indexOf(uri);
    const error =
      index >= maximumRedirectUris
        ? `An application can have ${maximumRedirectUris} redirect URIs at most.`
        : first < index
          ? `This is the same address as number ${first + 1}.`
          : redirectUriError(uri, { allowLocalhost });
    if (error !== undefined) errors.set(index, error);
  }
  return errors;
}

function scopesError(scopes: readonly string[], { knownScopes }: SettingsRules): string | undefined {
  if (scopes.length === 0) return 'Choose at least one scope.';
  return scopes.every((scope) => knownScopes.includes(scope))
    ? undefined
    : 'Choose from the scopes in the list.';
}
