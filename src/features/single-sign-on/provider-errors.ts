import * as openid from 'openid-client';
import { PrivateAddressError } from '../../platform/network/public-address.js';
import type { Findings } from './failure-details.js';
import { ProviderRequestError } from './provider-fetch.js';

/** The identity provider does not respond in time. */
export class ProviderUnavailableError extends Error {
  override readonly name = 'ProviderUnavailableError';
}

/** A response of the identity provider is invalid. `message` states why, for the audit log. */
export class InvalidProviderError extends Error {
  override readonly name = 'InvalidProviderError';
  readonly findings: Findings;

  constructor(reason: string, { findings = {}, ...options }: ErrorOptions & { findings?: Findings } = {}) {
    super(reason, options);
    this.findings = findings;
  }
}

/** The identity provider did not sign the user in. */
export class DeniedByProviderError extends Error {
  override readonly name = 'DeniedByProviderError';
  readonly findings: Findings;

  constructor(reason: string, findings: Findings) {
    super(reason);
    this.findings = findings;
  }
}

/** Maps the errors of the library to those above. Their messages may contain parts of tokens. */
export function explained(error: unknown): Error {
  if (error instanceof openid.AuthorizationResponseError)
    return new DeniedByProviderError('denied', { error: shown(error.error) });
  for (const cause of causesOf(error)) {
    if (cause instanceof InvalidProviderError) return cause;
    if (cause instanceof ProviderRequestError || cause instanceof PrivateAddressError)
      return new ProviderUnavailableError('request', { cause });
  }
  const code = (error as { code?: unknown } | null)?.code;
  const reason = typeof code === 'string' && /^OAUTH_[A-Z_]+$/.test(code) ? code.toLowerCase() : 'response';
  return new InvalidProviderError(reason, { cause: error, findings: findingsOf(error) });
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
