import type { ProviderClaims } from './provider-claims.js';
import { explain, type ProviderFindings } from './provider-errors.js';
import type { IdentityPreview } from './user-identities.js';

/** What a test of the sign-in has found. It is shown once and not stored. */
export interface SignInTest {
  /** Names and values of the claims, as text; empty when the response of the identity provider is not accepted. */
  readonly claims: readonly (readonly [name: string, value: string])[];
  readonly result: Exclude<IdentityPreview, { kind: 'rejected' }> | FailedTest;
}

/** The sign-in would fail. */
export interface FailedTest {
  readonly kind: 'failed';
  readonly what: string;
  readonly remedy: string;
  /** What was found in the response. */
  readonly findings: ProviderFindings;
}

/** The identity provider has signed the user in. */
export function acceptedTest(claims: ProviderClaims, preview: IdentityPreview): SignInTest {
  const result = preview.kind === 'rejected' ? failed(preview.reason, {}) : preview;
  return { claims: shownClaims(claims), result };
}

/** The response of the identity provider is not accepted. */
export function failedTest(reason: string, findings: ProviderFindings): SignInTest {
  return { claims: [], result: failed(reason, findings) };
}

function failed(reason: string, findings: ProviderFindings): FailedTest {
  const { what, remedy, claim } = explain({ reason, ...findings });
  return { kind: 'failed', what, remedy, findings: { ...(claim !== undefined && { claim }), ...findings } };
}

/** Claims that protect the response, and say nothing about the user. */
const protocolClaims: ReadonlySet<string> = new Set(['nonce', 'at_hash', 'c_hash', 's_hash']);

const maximumClaims = 50;
const maximumNameLength = 100;
const maximumValueLength = 500;

function shownClaims(claims: ProviderClaims): SignInTest['claims'] {
  return Object.entries(claims)
    .filter(([name, value]) => value !== undefined && !protocolClaims.has(name))
    .slice(0, maximumClaims)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return [shortened(name, maximumNameLength), shortened(text, maximumValueLength)];
    });
}

function shortened(text: string, maximum: number): string {
  return text.length <= maximum ? text : `${text.slice(0, maximum)}…`;
}
