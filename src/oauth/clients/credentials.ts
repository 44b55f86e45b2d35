import type { AuditOrigin } from '../../platform/audit/audit-log.js';
import { invalidParameter } from '../../platform/problems/invalid-request.js';
import { Problem } from '../../platform/problems/problem.js';
import { violation } from '../../platform/problems/rule-texts.js';
import type { ProofRequest } from '../dpop/proof-verifier.js';
import { assertionType, clientNamedBy } from './client-assertion.js';
import type { Client } from './client-registry.js';

/**
 * Value of a required form parameter.
 *
 * @throws {Problem} 400 `invalid_request` when it is missing
 */
export function requireParameter(name: string, value: string | undefined): string {
  if (value === undefined) throw invalidParameter(name, violation('required'));
  return value;
}

/**
 * Counts a request towards the limit of a client.
 *
 * @throws {Problem} 429 `rate_limit_exceeded`
 */
export type AdmitClient = (subject: string) => Promise<void>;

/** Properties of a request to the token or revocation endpoint, in addition to its form. */
export interface ClientCall {
  /** Value of the Authorization header. */
  readonly authorization: string | undefined;
  /** What identifies the request in its DPoP proof; absent without the header `DPoP`. */
  readonly dpop?: ProofRequest;
  readonly origin: AuditOrigin;
  readonly admit: AdmitClient;
  /** Called with a nonce that the response should contain. */
  onNextNonce(nonce: string): void;
  /** Called with the authenticated client before the request is processed, and again with the installation that it is for. */
  onAuthenticated(client: Client): void;
  /** Called when the authentication of a client fails; not for an unknown client. */
  onRejected(client: Client): void;
}

export interface ClientCredentials {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** A signed assertion. Then there is no secret. */
  readonly assertion?: string;
  /** Whether the Authorization header was used. Then `invalid_client` has a `WWW-Authenticate` header. */
  readonly basic: boolean;
}

/** Members of a form that carry client credentials. */
interface CredentialsForm {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly client_assertion_type?: string;
  readonly client_assertion?: string;
}

/**
 * Checks that a client has authenticated, with a secret or an assertion.
 *
 * @throws {Problem} 400 `invalid_request` when the request has neither
 */
export function requireAuthentication({ assertion, clientSecret }: ClientCredentials): void {
  if (assertion === undefined) requireParameter('client_secret', clientSecret);
}

/**
 * Reads client id and secret from the form or from HTTP Basic, or an assertion from the form.
 *
 * @throws {Problem} 400 `invalid_request` when both are used and contradict each other, 401 `invalid_client` when the
 *   header is malformed
 * @see RFC 6749 section 2.3.1 and RFC 7521 section 4.2
 */
export function readClientCredentials(
  form: CredentialsForm,
  authorization: string | undefined,
): ClientCredentials {
  if (form.client_assertion !== undefined || form.client_assertion_type !== undefined)
    return readAssertion(form, authorization);
  const { client_id, client_secret } = form;
  const basic = /^basic(?: +(.*))?$/i.exec(authorization ?? '');
  if (basic === null) return { clientId: client_id, clientSecret: client_secret, basic: false };
  const { id, secret } = decodeBasic(basic[1] ?? '');
  if (client_secret !== undefined) {
    throw invalidParameter('client_secret', violation('secret_in_header'));
  }
  if (client_id !== undefined && client_id !== id) {
    throw invalidParameter('client_id', violation('same_client'));
  }
  return { clientId: id, clientSecret: secret === '' ? undefined : secret, basic: true };
}

/** @throws {Problem} 400 `invalid_request`, also when the request authenticates in another way too */
function readAssertion(
  { client_id, client_secret, client_assertion, client_assertion_type }: CredentialsForm,
  authorization: string | undefined,
): ClientCredentials {
  const type = requireParameter('client_assertion_type', client_assertion_type);
  if (type !== assertionType)
    throw invalidParameter('client_assertion_type', violation('assertion_type', { type: assertionType }));
  const assertion = requireParameter('client_assertion', client_assertion);
  if (client_secret !== undefined) throw invalidParameter('client_secret', violation('one_authentication'));
  if (/^basic\b/i.test(authorization ?? ''))
    throw new Problem(
      'invalid_request',
      'The Authorization header must be omitted when the request has a client_assertion.',
    );
  return {
    clientId: client_id ?? clientNamedBy(assertion),
    clientSecret: undefined,
    assertion,
    basic: false,
  };
}

/**
 * 401 `invalid_client`. The challenge is sent only to clients that used the header: with other clients, some
 * libraries then hide the error code.
 */
export function invalidClient(
  { basic }: Pick<ClientCredentials, 'basic'>,
  detail = 'client_id or client_secret is wrong.',
): Problem {
  return new Problem('invalid_client', detail, {
    headers: basic ? { 'www-authenticate': 'Basic realm="OAuth client", charset="UTF-8"' } : {},
  });
}

/** Id and secret are form-encoded before they are joined. @see RFC 6749 section 2.3.1 */
function decodeBasic(encoded: string): { id: string; secret: string } {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  try {
    if (colon === -1) throw new URIError('no colon');
    return { id: decodeForm(text.slice(0, colon)), secret: decodeForm(text.slice(colon + 1)) };
  } catch (cause) {
    throw new Problem(
      'invalid_client',
      'The Authorization header must be HTTP Basic with a form-encoded client_id and client_secret.',
      {
        headers: invalidClient({ basic: true }).headers,
        cause,
      },
    );
  }
}

function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
