/**
 * Sends a request to a server. The body is one of `json`, `form` and `text`; objects are encoded, and `text` is sent
 * unchanged.
 *
 * @returns status, media type, headers by their names in lower case, and the body, which is parsed if it is JSON
 */
export async function send(base, path, { method, token, headers = {}, json, form, text } = {}) {
  const body = form === undefined ? (text ?? encode(json)) : new URLSearchParams(form);
  const response = await fetch(new URL(path, base), {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body,
    redirect: 'manual',
  });
  return toRecording(response.status, Object.fromEntries(response.headers), await response.text());
}

function encode(json) {
  return json === undefined ? undefined : JSON.stringify(json);
}

/** Converts a response to its recorded form. */
export function toRecording(status, headers, text) {
  const mediaType = (headers['content-type'] ?? '').split(';')[0];
  return { status, mediaType, headers, body: read(mediaType, text) };
}

function read(mediaType, text) {
  if (mediaType.endsWith('json')) return JSON.parse(text);
  return mediaType === 'text/html' ? outline(text) : text;
}

/** Reduces a page to its document type and title, because the rest differs in each response. */
function outline(html) {
  const [doctype] = /^<!doctype html>/i.exec(html) ?? [];
  const [title] = /<title>[^<]*<\/title>/.exec(html) ?? [];
  if (doctype === undefined || title === undefined) throw new Error(`A page has no title: ${html}`);
  return `${doctype}${title}`;
}
