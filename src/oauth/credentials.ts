import { invalidParameter, Problem } from '../problems/problem.js';

/** How a client says who it is. */
export interface ClientCredentials {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** Whether the Authorization header was used: a refusal then asks for it again. */
  readonly basic: boolean;
}

/** Members of a form that carry client credentials. */
export interface CredentialsForm {
  readonly client_id?: string;
  readonly client_secret?: string;
}

/**
 * Reads the client's id and secret from the form or from HTTP Basic.
 *
 * @throws {Problem} 400 `invalid_request` when both are used and disagree, 401 `invalid_client` when the
 *   header cannot be read
 * @see RFC 6749 section 2.3.1
 */
export function readClientCredentials(
  { client_id, client_secret }: CredentialsForm,
  authorization: string | undefined,
): ClientCredentials {
  const basic = /^basic(?: +(.*))?$/i.exec(authorization ?? '');
  if (basic === null) return { clientId: client_id, clientSecret: client_secret, basic: false };
  const { id, secret } = decodeBasic(basic[1] ?? '');
  if (client_secret !== undefined) {
    throw invalidParameter(
      'client_secret',
      'must be left out when the Authorization header carries the secret',
    );
  }
  if (client_id !== undefined && client_id !== id) {
    throw invalidParameter('client_id', 'must be the one in the Authorization header, or be left out');
  }
  return { clientId: id, clientSecret: secret === '' ? undefined : secret, basic: true };
}

/**
 * 401 `invalid_client`. The challenge is sent only to callers that used the header: elsewhere it makes some
 * client libraries hide the error code.
 */
export function invalidClient(
  { basic }: Pick<ClientCredentials, 'basic'>,
  detail = 'client_id or client_secret is wrong.',
): Problem {
  return new Problem('invalid_client', detail, {
    headers: basic ? { 'www-authenticate': 'Basic realm="OAuth client", charset="UTF-8"' } : {},
  });
}

/** Id and secret are form-encoded before they are joined. */
function decodeBasic(encoded: string): { id: string; secret: string } {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  try {
    if (colon === -1) throw new URIError('no colon');
    return { id: decodeForm(text.slice(0, colon)), secret: decodeForm(text.slice(colon + 1)) };
  } catch (cause) {
    throw new Problem('invalid_client', 'The Authorization header is not well-formed HTTP Basic.', {
      headers: invalidClient({ basic: true }).headers,
      cause,
    });
  }
}

function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
