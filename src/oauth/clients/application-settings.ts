import { applicationNameRule } from '../../platform/accounts/name-rules.js';
import { findUrlFormError } from '../../platform/network/receiver-url.js';
import { sentence } from '../../platform/problems/rule-texts.js';
import type { ClientType } from './client-registry.js';
import { redirectUriError } from './redirect-uris.js';

/** Settings of an application that administrators can change. */
export interface ApplicationSettings {
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** Where the browser may be sent after the application has signed its user out. */
  readonly postLogoutRedirectUris: readonly string[];
  readonly scopes: readonly string[];
  /** The attributes of employees that it may read, of those that it can be without. */
  readonly readableAttributes: readonly string[];
  /** Whether every token request must contain the client secret. It has no effect on a public application. */
  readonly requireClientSecret: boolean;
  /** Whether every token request must have a DPoP proof. */
  readonly requireProofOfPossession: boolean;
  /** Whether every authorization request must have been pushed. */
  readonly requirePushedRequests: boolean;
  /** Where the application is notified that a session has ended; `null`: it is not notified. */
  readonly backchannelLogoutUri: string | null;
  /** Whether redirect URIs on `http://localhost` are valid. */
  readonly inDevelopment: boolean;
}

/** Validation errors of settings, as sentences for the user. */
export interface SettingsErrors {
  readonly name?: string;
  /** By line of the redirect URI, from 1; 0 for an error of all. */
  readonly redirectUris: ReadonlyMap<number, string>;
  /** By line, as those of the redirect URIs. */
  readonly postLogoutRedirectUris: ReadonlyMap<number, string>;
  readonly scopes?: string;
  readonly readableAttributes?: string;
  readonly inDevelopment?: string;
  readonly backchannelLogoutUri?: string;
}

interface SettingsRules {
  readonly clientType: ClientType;
  /** All scopes of the contract. */
  readonly knownScopes: readonly string[];
  /** Names of the attributes that the account can choose. */
  readonly knownAttributes: readonly string[];
  /** Whether the account allows applications in development. */
  readonly developmentAllowed: boolean;
  /** Whether the server sends requests to `http://localhost`, for applications in development. */
  readonly allowLocal: boolean;
  /** The stored settings of an application that exists, which may be older than a rule. */
  readonly stored?: Pick<ApplicationSettings, 'name' | 'inDevelopment'> & { readonly isPublished: boolean };
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
  const { stored } = rules;
  const nameError = settings.name === stored?.name ? undefined : applicationNameRule(settings.name);
  const name = nameError && sentence('The name', nameError);
  const redirectUris = redirectUriErrors(settings, rules);
  const postLogoutRedirectUris = uriErrors(settings.postLogoutRedirectUris, settings);
  const scopes = scopesError(settings.scopes, rules);
  const readableAttributes = attributesError(settings.readableAttributes, rules);
  const startsDevelopment = settings.inDevelopment && stored?.inDevelopment !== true;
  const inDevelopment = !startsDevelopment
    ? undefined
    : stored?.isPublished
      ? 'A published application cannot be in development.'
      : rules.developmentAllowed
        ? undefined
        : 'Your account does not allow applications in development.';
  const backchannelLogoutUri = logoutUriError(settings, rules);
  const others = { name, scopes, readableAttributes, inDevelopment, backchannelLogoutUri };
  const found = Object.entries(others).filter(([, error]) => error !== undefined);
  return found.length === 0 && redirectUris.size === 0 && postLogoutRedirectUris.size === 0
    ? null
    : { redirectUris, postLogoutRedirectUris, ...Object.fromEntries(found) };
}

/** The address of the host is checked when a request is sent. */
function logoutUriError(
  { backchannelLogoutUri: uri, inDevelopment }: ApplicationSettings,
  { allowLocal }: SettingsRules,
): string | undefined {
  if (uri === null) return undefined;
  const error = findUrlFormError(uri, { allowLocal: allowLocal && inDevelopment });
  return error && sentence('The back-channel logout URI', error);
}

function redirectUriErrors(
  settings: ApplicationSettings,
  { clientType }: SettingsRules,
): ReadonlyMap<number, string> {
  if (settings.redirectUris.length === 0 && clientType === 'public') {
    return new Map([[0, 'Enter a redirect URI: a public application needs one to sign users in.']]);
  }
  return uriErrors(settings.redirectUris, settings);
}

function uriErrors(
  uris: readonly string[],
  { inDevelopment }: ApplicationSettings,
): ReadonlyMap<number, string> {
  if (uris.length > maximumRedirectUris) {
    return new Map([[0, `Enter at most ${maximumRedirectUris} redirect URIs. These are ${uris.length}.`]]);
  }
  const errors = new Map<number, string>();
  for (const [index, uri] of uris.entries()) {
    const first = uris.indexOf(uri);
    const error =
      first < index
        ? `This is the same URI as in line ${first + 1}.`
        : redirectUriError(uri, { inDevelopment });
    if (error !== undefined) errors.set(index + 1, error);
  }
  return errors;
}

/** The error of the scopes of an application; `undefined` when they are valid. */
export function scopesError(
  scopes: readonly string[],
  { knownScopes }: Pick<SettingsRules, 'knownScopes'>,
): string | undefined {
  if (scopes.length === 0) return 'Choose at least one scope.';
  return scopes.every((scope) => knownScopes.includes(scope))
    ? undefined
    : 'Choose from the scopes in the list.';
}

/** The error of the attributes that an application may read; `undefined` when they are valid. */
export function attributesError(
  attributes: readonly string[],
  { knownAttributes }: Pick<SettingsRules, 'knownAttributes'>,
): string | undefined {
  return attributes.every((name) => knownAttributes.includes(name))
    ? undefined
    : 'Choose from the attributes in the list.';
}
