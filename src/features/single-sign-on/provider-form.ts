import { PrivateAddressError } from '../../platform/network/public-address.js';
import { sentence } from '../../platform/problems/rule-texts.js';
import { isSameIssuer, issuerRule, maximumIssuerLength } from './provider-claims.js';
import type { Provider, ProviderClient } from './provider-client.js';
import { ProviderError, type ProviderFindings } from './provider-errors.js';

/** The input of an owner. */
export interface ProviderForm {
  readonly issuer: string;
  readonly clientId: string;
  /** Empty: unchanged. */
  readonly clientSecret: string;
  readonly addressesVerified: boolean;
}

/** The error of each invalid value, as a sentence. */
export type ProviderErrors = Readonly<Partial<Record<keyof ProviderForm, string>>>;

const maximumSecretLength = 1000;

/**
 * Validates the input without the identity provider.
 *
 * @param current the stored settings; `null` without them
 * @param allowHttp whether issuers may start with `http://`
 */
export function findFormErrors(
  { issuer, clientId, clientSecret }: ProviderForm,
  current: Provider | null,
  options: { readonly allowHttp: boolean },
): ProviderErrors {
  const wrong = issuerRule(issuer, options);
  const errors: { -readonly [Name in keyof ProviderErrors]: ProviderErrors[Name] } = {};
  if (wrong !== undefined) errors.issuer = sentence('The issuer', wrong);
  if (clientId === '') errors.clientId = 'Enter the client ID that the identity provider shows.';
  else if (!isPrintable(clientId, maximumIssuerLength))
    errors.clientId = `The client ID must have at most ${maximumIssuerLength} characters and no spaces.`;
  if (clientSecret === '' && current === null)
    errors.clientSecret = 'Enter the client secret that the identity provider shows.';
  else if (clientSecret === '' && !isSameIssuer(current?.issuer ?? '', issuer))
    errors.clientSecret = 'Enter the client secret of the new issuer.';
  else if (clientSecret !== '' && !isPrintable(clientSecret, maximumSecretLength))
    errors.clientSecret = `The client secret must have at most ${maximumSecretLength} characters and no spaces.`;
  return errors;
}

/** Printable ASCII without spaces, as RFC 6749 appendix A requires except for spaces. */
function isPrintable(text: string, maximum: number): boolean {
  return text.length <= maximum && /^[!-~]+$/.test(text);
}

/** Reads the metadata of an identity provider: its issuer as the metadata has it, or what is wrong, as a sentence. */
export async function checkProvider(
  client: ProviderClient,
  provider: Provider,
): Promise<{ issuer: string } | { error: string }> {
  try {
    return { issuer: await client.check(provider) };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.cause instanceof PrivateAddressError)
      return { error: 'The host of the issuer must have public addresses only.' };
    if (error.kind === 'unavailable')
      return { error: 'The issuer does not respond. Check its address, or try again later.' };
    const explain = metadataErrors[error.message];
    if (explain !== undefined) return { error: explain(error.findings) };
    return { error: `No OpenID Connect metadata of this issuer was found at ${metadataOf(provider)}.` };
  }
}

/** What is wrong with the metadata, by reason: what was found, and a remedy. */
const metadataErrors: Readonly<Record<string, (findings: ProviderFindings) => string>> = {
  issuer: ({ issuer_found: found = 'none' }) =>
    /[{}]/.test(found)
      ? `The metadata names the issuer ${found}, which stands for many organizations. Enter the issuer of your organization, with its tenant ID.`
      : `The metadata names another issuer: ${found}. Enter this issuer, if it is that of your organization.`,
  metadata: () =>
    'The metadata must have the URLs of the authorization endpoint, the token endpoint and the keys, and they must start with https://.',
  client_authentication: ({ offered = 'none' }) =>
    `The identity provider offers these methods of client authentication: ${offered}. Supported are client_secret_basic and client_secret_post. Allow one of them at the identity provider.`,
  signature: ({ offered = 'none' }) =>
    `The identity provider signs ID tokens with ${offered}. Choose a signing key with a public part, such as RS256 or ES256, at the identity provider.`,
};

/** @see OpenID Connect Discovery 1.0 section 4 */
function metadataOf({ issuer }: Provider): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}
