import * as openid from 'openid-client';
import { PrivateAddressError } from '../../platform/network/public-address.js';
import type { Findings } from './failure-details.js';
import { ProviderRequestError } from './provider-fetch.js';

/** Single sign-on failed at the identity provider. `message` states why, for the audit log. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  /** The identity provider did not sign the user in, its response is invalid, or it does not respond in time. */
  readonly kind: 'denied' | 'invalid' | 'unavailable';
  readonly findings: Findings;

  constructor(
    kind: ProviderError['kind'],
    reason: string,
    { findings = {}, ...options }: ErrorOptions & { findings?: Findings } = {},
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
function findingsOf(error: unknown): Findings {
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
