import { parseUrl } from '../../platform/contract/outside-text.js';
import { withQuery } from '../../platform/pages/paths.js';
import { invalidParameter } from '../../platform/problems/invalid-request.js';
import { UnregisteredRedirectUriProblem } from '../../platform/problems/problem.js';
import { violation } from '../../platform/problems/rule-texts.js';

/** Maximum length of a redirect URI, in characters. */
const maximumRedirectUriLength = 2000;

/**
 * Validates a redirect URI. Returns an error as a sentence for the user; `undefined` when the URI is valid.
 *
 * @param inDevelopment whether `http://localhost` is valid, with any port and path
 * @see RFC 9700 section 2.1, RFC 6749 section 3.1.2 and RFC 8252 section 7.3
 */
export function redirectUriError(
  uri: string,
  { inDevelopment }: { inDevelopment: boolean },
): string | undefined {
  if (uri.length > maximumRedirectUriLength) {
    return `The redirect URI is longer than ${maximumRedirectUriLength} characters.`;
  }
  // URL parsers remove or replace other characters, each in its own way.
  if (!/^[!-~]+$/.test(uri) || /[\\"<>^`{|}]/.test(uri)) {
    return 'Remove spaces, and percent-encode all characters that a URI cannot contain.';
  }
  if (uri.includes('*')) return 'Wildcards (*) are not supported: register each URI in full.';
  if (uri.includes('#'))
    return 'The redirect URI must not have a fragment: remove “#” and everything after it.';
  const authority = /^[^:/?]+:\/\/([^/?]*)/.exec(uri)?.[1] ?? '';
  const url = authority === '' ? undefined : parseUrl(uri);
  if (url === undefined) {
    return 'This is not a complete address, such as https://app.example.com/callback.';
  }
  if (authority.includes('@')) return 'The redirect URI must not contain a user name or password.';
  return schemeError(url, inDevelopment);
}

/** A host that is an IP address, as URL parsers write it. */
const ipAddress = /^(\d+(\.\d+){3}|\[.*\])$/;

function schemeError({ protocol, hostname }: URL, inDevelopment: boolean): string | undefined {
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:' && hostname === 'localhost') {
    return inDevelopment
      ? undefined
      : 'http://localhost is for applications in development only: use a redirect URI that starts with https://, or select “In development”.';
  }
  if (protocol === 'http:' && ipAddress.test(hostname)) {
    return 'IP addresses such as 127.0.0.1 and [::1] are not accepted: use http://localhost, in an application in development.';
  }
  return inDevelopment
    ? 'The redirect URI must start with https://, or with http://localhost.'
    : 'The redirect URI must start with https://. An application in development can also use http://localhost.';
}

/** Whether a redirect URI is valid for applications in development only. */
export function isForDevelopment(uri: string): boolean {
  const [live, development] = [false, true].map((inDevelopment) => redirectUriError(uri, { inDevelopment }));
  return live !== undefined && development === undefined;
}

/** The parts of a URI of `http://localhost` that has a port: all before it, the port, and all after it. */
const localWithPort = /^(http:\/\/localhost):([1-9]\d{0,4})([/?].*)?$/;

/** The redirect URIs of an application, and its stage, as `Client` has them. */
interface RegisteredUris {
  readonly redirectUris: readonly string[];
  readonly stage: 'live' | 'development' | 'forbidden';
}

/**
 * Whether a redirect URI is registered for an application. It is compared character by character. For an application in development,
 * a URI that is registered as `http://localhost` without a port is valid with any port: the application listens on the one that is
 * free. Other applications have no URIs of `http://`.
 *
 * @see RFC 9700 section 2.1 and RFC 8252 section 7.3
 */
export function isRegisteredRedirectUri({ redirectUris, stage }: RegisteredUris, uri: string): boolean {
  if (stage === 'live') return /^https:/i.test(uri) && redirectUris.includes(uri);
  return redirectUris.includes(uri) || redirectUris.includes(withoutLocalPort(uri));
}

/** The same URI without the port of `http://localhost`; other URIs unchanged. */
function withoutLocalPort(uri: string): string {
  const [, start = '', port, rest = ''] = localWithPort.exec(uri) ?? [];
  return port === undefined || Number(port) > 65_535 ? uri : `${start}${rest}`;
}

/**
 * The redirect URI must be registered for the application.
 *
 * @param parameter the parameter of the request with the URI
 * @throws {UnregisteredRedirectUriProblem} never a redirect
 */
export function checkRedirectUri(
  client: RegisteredUris & { readonly name: string },
  redirectUri: string,
  parameter: 'redirect_uri' | 'post_logout_redirect_uri' = 'redirect_uri',
): void {
  if (isRegisteredRedirectUri(client, redirectUri)) return;
  const { message: detail, errors = [] } = invalidParameter(parameter, violation(`registered_${parameter}`));
  throw new UnregisteredRedirectUriProblem({ detail, errors }, { applicationName: client.name, redirectUri });
}

/** A redirect URI with the parameters of a response in its query. They are appended, so that the registered URI is unchanged. */
export function withResponse(redirectUri: string, parameters: Readonly<Record<string, string>>): string {
  // Some clients decode `+` as a plus sign; all decode %20 as a space.
  const query = new URLSearchParams(parameters).toString().replaceAll('+', '%20');
  return withQuery(redirectUri, query);
}
