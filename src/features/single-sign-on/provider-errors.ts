import * as openid from 'openid-client';
import { PrivateAddressError } from '../../platform/network/public-address.js';
import { ProviderRequestError } from './provider-fetch.js';

/** Single sign-on failed at the identity provider. `message` states why, for the audit log. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  /** The identity provider did not sign the user in, its response is invalid, or it does not respond in time. */
  readonly kind: 'denied' | 'invalid' | 'unavailable';
  readonly findings: ProviderFindings;

  constructor(
    kind: ProviderError['kind'],
    reason: string,
    { findings = {}, ...options }: ErrorOptions & { findings?: ProviderFindings } = {},
  ) {
    super(reason, options);
    this.kind = kind;
    this.findings = findings;
  }
}

/** Maps the errors of the library. Their messages may contain parts of tokens. */
export function toProviderError(error: unknown): ProviderError {
  if (error instanceof openid.AuthorizationResponseError)
    return new ProviderError('denied', 'denied', { findings: { error: shown(error.error) } });
  for (const cause of causesOf(error)) {
    if (cause instanceof ProviderError) return cause;
    if (cause instanceof ProviderRequestError || cause instanceof PrivateAddressError)
      return new ProviderError('unavailable', 'request', { cause });
  }
  const code = (error as { code?: unknown } | null)?.code;
  const reason = typeof code === 'string' && /^OAUTH_[A-Z_]+$/.test(code) ? code.toLowerCase() : 'response';
  return new ProviderError('invalid', reason, { cause: error, findings: findingsOf(error) });
}

/** The claim that the library did not accept, the issuer of the ID token, and the code of an error response. */
function findingsOf(error: unknown): ProviderFindings {
  for (const { message, cause } of causesOf(error)) {
    const { claim = missingClaim.exec(message)?.[1], claims } = (cause ?? {}) as {
      claim?: unknown;
      claims?: { iss?: unknown };
    };
    if (claim !== undefined)
      return { claim: shown(claim), ...(claim === 'iss' && { issuer_found: shown(claims?.iss) }) };
  }
  return error instanceof openid.ResponseBodyError ? { error: shown(error.error) } : {};
}

/** The library names a missing claim only in its message. */
const missingClaim = /^JWT "(\w+)" \(/;

function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

/** Text of the identity provider, for the owner: at most 255 characters of ASCII. */
export function shown(value: unknown): string {
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? 'none');
  return text.replaceAll(/[^ -~]/g, '?').slice(0, 255);
}
/** The reason why an identity has no user. For the audit log; users see the same text for all. */
export type IdentityRejection =
  | 'invalid_subject'
  | 'email_missing'
  | 'email_not_verified'
  | 'email_verified_missing'
  /** `email_verified` is missing, and the domain of the address is not confirmed for the account. */
  | 'domain_not_confirmed'
  /** No user of the account has the address, and its domain is not confirmed for the account. */
  | 'unknown_user'
  /** A user of another account has the address. */
  | 'email_taken'
  /** The user of the address is linked with another subject of the issuer. */
  | 'other_identity'
  | 'disabled'
  /** The account has another identity provider since the sign-in was started, or none. */
  | 'provider_replaced';

/** What was found in the response of an identity provider. */
export type ProviderFindings = Readonly<
  Partial<Record<'issuer_found' | 'claim' | 'error' | 'offered', string>>
>;

interface Explanation {
  /** The claim that is missing or not accepted. */
  readonly claim?: string;
  /** What is wrong, as a sentence. */
  readonly what: string;
  /** What an owner can do, as a sentence. */
  readonly remedy: string;
}

const rejections: Readonly<Record<IdentityRejection, Explanation>> = {
  invalid_subject: {
    claim: 'sub',
    what: 'The identity provider sent no valid subject.',
    remedy: 'Let the identity provider send a subject of at most 255 characters.',
  },
  email_missing: {
    claim: 'email',
    what: 'The identity provider sent no valid e-mail address.',
    remedy:
      'Let the identity provider send the address of the user in the ID token or at the UserInfo endpoint. If its user names are addresses, “Addresses of this provider are verified” under Settings, Single sign-on, accepts them.',
  },
  email_not_verified: {
    claim: 'email_verified',
    what: 'The identity provider says that the address is not verified.',
    remedy: 'Let the identity provider verify the address of the user, and send the value true.',
  },
  email_verified_missing: {
    claim: 'email_verified',
    what: 'The identity provider does not say whether the address is verified.',
    remedy:
      'Let the identity provider send this claim, or turn on “Addresses of this provider are verified” under Settings, Single sign-on.',
  },
  domain_not_confirmed: {
    claim: 'email_verified',
    what: 'The identity provider does not say whether the address is verified, and its domain is not confirmed for this account.',
    remedy:
      'Let the identity provider send this claim, or confirm the domain of the address under Settings, Single sign-on.',
  },
  unknown_user: {
    what: 'No user of this account has the address, and its domain is not confirmed for this account.',
    remedy: 'Invite the user, or confirm the domain of the address under Settings, Single sign-on.',
  },
  email_taken: {
    what: 'The address cannot be used in this account.',
    remedy: 'Use another address: this one belongs to a user of another account.',
  },
  other_identity: {
    what: 'The user with the address is linked with another subject of the identity provider.',
    remedy: 'Remove the link with the identity provider on the page of the user.',
  },
  disabled: { what: 'The user is disabled.', remedy: 'Enable the user.' },
  provider_replaced: {
    what: 'The settings of single sign-on were changed during the sign-in.',
    remedy: 'Sign in again: the identity provider was replaced meanwhile.',
  },
};

const responses: Readonly<Record<string, Explanation>> = {
  denied: {
    what: 'The identity provider did not sign the user in.',
    remedy: 'Check at the identity provider that the user may use this application.',
  },
  request: {
    what: 'The identity provider does not respond.',
    remedy: 'Check that the identity provider can be reached, or try again later.',
  },
  busy: {
    what: 'The identity provider responds too slowly.',
    remedy: 'Check that the identity provider responds in time, or try again later.',
  },
  no_id_token: {
    what: 'The identity provider sent no ID token.',
    remedy: 'Allow the scope openid for this application at the identity provider.',
  },
  oauth_response_body_error: {
    what: 'The identity provider rejected the request for the ID token.',
    remedy: 'Check the client ID, the client secret and the redirect URI at the identity provider.',
  },
  oauth_www_authenticate_challenge: {
    what: 'The identity provider rejected the client.',
    remedy: 'Check the client ID and the client secret.',
  },
  oauth_jwt_timestamp_check_failed: {
    what: 'A time in the ID token is not accepted.',
    remedy: 'Synchronize the clock of the identity provider: a difference of 30 seconds is accepted.',
  },
};

const otherResponse: Explanation = {
  what: 'The response of the identity provider is not accepted.',
  remedy:
    'Choose “Check and save” under Settings, Single sign-on, and check the application at the identity provider.',
};

const authTime: Explanation = {
  what: 'The identity provider did not sign the user in again, or does not say when.',
  remedy: 'Let the identity provider support max_age and send the time of the sign-in.',
};

/** A failed sign-in, as it is stored: without texts of the identity provider, except for an error code. */
export interface StoredFailure {
  readonly reason: string;
  /** Name of the claim that is missing or not accepted. */
  readonly claim?: string;
  /** Error code of the identity provider. */
  readonly error?: string;
}

/** What is stored of a failure. Anyone can choose the error code of a response, so that other texts than codes are discarded. */
export function toStoredFailure(
  reason: string,
  { claim = '', error = '' }: ProviderFindings = {},
): StoredFailure {
  const isCode = (text: string) => /^\w{1,40}$/.test(text);
  return { reason, ...(isCode(claim) && { claim }), ...(isCode(error) && { error }) };
}

/** A failure in words, with a remedy. */
export function explain({ reason, claim }: Pick<StoredFailure, 'reason' | 'claim'>): Explanation {
  if (claim === 'auth_time') return { claim, ...authTime };
  const known = Object.hasOwn(rejections, reason)
    ? rejections[reason as IdentityRejection]
    : (responses[reason] ?? otherResponse);
  return { ...(claim !== undefined && { claim }), ...known };
}

/** Details of the audit event for an identity that has no user who may sign in. */
export function rejectionDetails(reason: IdentityRejection, issuer: string): Record<string, string> {
  return details({ reason }, issuer);
}

/** Details of the audit event for a failure at the identity provider. */
export function responseDetails(
  reason: string,
  issuer: string,
  findings: ProviderFindings,
): Record<string, string> {
  return { ...details({ reason, ...findings }, issuer), ...findings };
}

function details(failure: StoredFailure, issuer: string): Record<string, string> {
  const { what: _, ...explanation } = explain(failure);
  return { method: 'single_sign_on', reason: failure.reason, issuer, ...explanation };
}
