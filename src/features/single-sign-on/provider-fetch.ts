import http from 'node:http';
import https from 'node:https';
import type { CustomFetch } from 'openid-client';
import {
  isPrivateLiteral,
  PrivateAddressError,
  publicLookup,
} from '../../platform/network/public-address.js';

/** Maximum size of a response, in bytes. Metadata, keys and tokens are far smaller. */
const maximumBytes = 256 * 1024;

/** The identity provider cannot be reached, or its response is too large. */
export class ProviderRequestError extends Error {
  override readonly name = 'ProviderRequestError';
}

/**
 * Creates the function that sends requests to identity providers. Owners choose these servers, so the requests must not
 * reach the network of this server (SSRF): an address is checked when the connection is opened, which prevents DNS
 * rebinding, and redirects are not followed. The `fetch` of Node.js has no option for either the address or the size of the
 * response.
 *
 * @param allowPrivate whether addresses may be private
 */
export function createProviderFetch({ allowPrivate }: { allowPrivate: boolean }): CustomFetch {
  return async (address, { method, headers, body, signal }) => {
    const url = new URL(address);
    if (!allowPrivate && isPrivateLiteral(url.hostname)) throw new PrivateAddressError();
    return await send(url, {
      body: body instanceof URLSearchParams ? body.toString() : undefined,
      options: {
        method,
        // A compressed response could be larger than it appears.
        headers: { ...headers, 'accept-encoding': 'identity' },
        agent: false,
        ...(signal !== undefined && { signal }),
        ...(allowPrivate ? {} : { lookup: publicLookup }),
      },
    });
  };
}

function send(
  url: URL,
  { body, options }: { body: string | undefined; options: http.RequestOptions },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) =>
      reject(
        error instanceof ProviderRequestError || error instanceof PrivateAddressError
          ? error
          : new ProviderRequestError('The identity provider cannot be reached', { cause: error }),
      );
    const { request } = url.protocol === 'https:' ? https : http;
    request(url, options, (response) => read(response).then(resolve, fail))
      .on('error', fail)
      .end(body);
  });
}

async function read(message: http.IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maximumBytes) {
      message.destroy();
      throw new ProviderRequestError('The response of the identity provider is too large');
    }
    chunks.push(chunk);
  }
  const status = message.statusCode ?? 0;
  // `Response` has no other statuses.
  if (status < 200 || status > 599)
    throw new ProviderRequestError('The identity provider responded with an invalid status');
  const type = message.headers['content-type'];
  const hasBody = ![204, 205, 304].includes(status);
  return new Response(hasBody ? Buffer.concat(chunks) : null, {
    status,
    headers: type === undefined ? {} : { 'content-type': type },
  });
}
