import type { TestApp } from '../server/app.js';

/** Sends a request with a bearer token and, if given, a JSON body. */
export function sendJson(
  { app }: TestApp,
  {
    method = 'POST',
    url,
    token,
    body,
  }: {
    method?: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';
    url: string;
    token: string;
    body?: object | undefined;
  },
) {
  return app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${token}` },
    ...(body !== undefined && { payload: body }),
  });
}
