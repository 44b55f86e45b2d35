import type { CustomFetch } from 'openid-client';
import {
  type OutgoingResponse,
  ResponseTooLargeError,
  sendOutgoingRequest,
} from '../../platform/network/outgoing-request.js';
import { PrivateAddressError } from '../../platform/network/public-address.js';

/** Maximum size of a response, in bytes. Metadata, keys and tokens are far smaller. */
const maximumBytes = 256 * 1024;

/** The identity provider cannot be reached, or its response is too large. */
export class ProviderRequestError extends Error {
  override readonly name = 'ProviderRequestError';
}

/**
 * Creates the function that sends requests to identity providers. Owners choose these servers, so the requests must not
 * reach the network of this server.
 *
 * @param allowPrivate whether addresses may be private
 */
export function createProviderFetch({ allowPrivate }: { allowPrivate: boolean }): CustomFetch {
  return async (address, { method, headers, body, signal }) => {
    const response = await sendOutgoingRequest(new URL(address), {
      method,
      headers,
      body: body instanceof URLSearchParams ? body.toString() : undefined,
      allowPrivate,
      maximumBytes,
      signal,
    }).catch((error: unknown) => {
      if (error instanceof PrivateAddressError) throw error;
      const message =
        error instanceof ResponseTooLargeError
          ? 'The response of the identity provider is too large'
          : 'The identity provider cannot be reached';
      throw new ProviderRequestError(message, { cause: error });
    });
    return toResponse(response);
  };
}

function toResponse({ status, headers, body }: OutgoingResponse): Response {
  // `Response` has no other statuses.
  if (status < 200 || status > 599)
    throw new ProviderRequestError('The identity provider responded with an invalid status');
  const type = headers['content-type'];
  const hasBody = ![204, 205, 304].includes(status);
  return new Response(hasBody ? new Uint8Array(body) : null, {
    status,
    headers: type === undefined ? {} : { 'content-type': type },
  });
}
