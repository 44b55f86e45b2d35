import type { HttpRequest } from './client.js';

/** Credentials of an application; a public one has no secret. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret?: string;
}

type Headers = Readonly<Record<string, string>>;

export function get(path: string, token: string | undefined, headers: Headers = {}): HttpRequest {
  return { path, headers: { ...bearer(token), ...headers } };
}

export function sendJson(
  method: string,
  path: string,
  token: string,
  value: unknown,
  headers: Headers = {},
): HttpRequest {
  return {
    method,
    path,
    headers: { ...bearer(token), 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  };
}

export function remove(path: string, token: string, headers: Headers = {}): HttpRequest {
  return { method: 'DELETE', path, headers: { ...bearer(token), ...headers } };
}

export function postForm(
  path: string,
  form: Readonly<Record<string, string>>,
  headers: Headers = {},
): HttpRequest {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  };
}

export function clientCredentials(
  client: ClientCredentials,
  scope?: string,
  path = '/v1/oauth/token',
): HttpRequest {
  return postForm(path, {
    grant_type: 'client_credentials',
    ...clientFields(client),
    ...(scope === undefined ? {} : { scope }),
  });
}

export function refresh(
  client: ClientCredentials,
  refreshToken: string,
  path = '/v1/oauth/token',
): HttpRequest {
  return postForm(path, {
    grant_type: 'refresh_token',
    ...clientFields(client),
    refresh_token: refreshToken,
  });
}

export function revoke(client: ClientCredentials, token: string): HttpRequest {
  return postForm('/v1/oauth/revoke', { ...clientFields(client), token });
}

/** The fields of a form that authenticate a client. */
export function clientFields({ clientId, clientSecret }: ClientCredentials): Record<string, string> {
  return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
}

function bearer(token: string | undefined): Headers {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
