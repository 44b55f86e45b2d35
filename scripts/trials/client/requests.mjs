const formType = 'application/x-www-form-urlencoded';

/** Requests as applications send them, for {@link Client.send}. */
export function get(path, token, headers = {}) {
  return { path, headers: { ...bearer(token), ...headers } };
}

export function sendJson(method, path, token, value, headers = {}) {
  return {
    method,
    path,
    headers: { ...bearer(token), 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  };
}

export function remove(path, token, headers = {}) {
  return { method: 'DELETE', path, headers: { ...bearer(token), ...headers } };
}

/** @param {Record<string, string>} form */
export function postForm(path, form, headers = {}) {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': formType, ...headers },
    body: new URLSearchParams(form).toString(),
  };
}

export function clientCredentials({ clientId, clientSecret }, scope) {
  return postForm('/v1/oauth/token', {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    ...(scope === undefined ? {} : { scope }),
  });
}

export function refresh({ clientId, clientSecret }, refreshToken) {
  return postForm('/v1/oauth/token', {
    grant_type: 'refresh_token',
    client_id: clientId,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    refresh_token: refreshToken,
  });
}

export function revoke({ clientId, clientSecret }, token) {
  return postForm('/v1/oauth/revoke', {
    client_id: clientId,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    token,
  });
}

function bearer(token) {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
