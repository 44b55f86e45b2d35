import type { FastifyReply, FastifyRequest } from 'fastify';
import { BrowserCookie } from '../../platform/http/host-cookie.js';
import { invalidParameter } from '../../platform/problems/invalid-request.js';
import { violation } from '../../platform/problems/rule-texts.js';
import { isClientId } from '../clients/client-registry.js';
import { invalidRequestUri, openedRequestSeconds, type PushedRequests } from '../grants/pushed-requests.js';

export const browserCookie = (baseUrl: string) =>
  new BrowserCookie('authorization_browser', baseUrl, openedRequestSeconds);

/**
 * Replaces the query of an authorization request with `request_uri` by the parameters that were pushed, before it is validated. Other
 * parameters of the query are ignored. Another query is unchanged, except that an empty `request_uri` counts as missing.
 *
 * @throws {Problem} 400 `invalid_request`
 * @see RFC 9126 section 4 and RFC 9101 section 5
 */
export type ReadPushedRequest = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** The first use of a `request_uri` binds it to the browser, by its cookie. */
export function createReadPushedRequest(pushedRequests: PushedRequests, baseUrl: string): ReadPushedRequest {
  const cookie = browserCookie(baseUrl);
  return async (request, reply) => {
    const { request_uri, ...others } = request.query as Record<string, unknown>;
    if (request_uri === undefined) return;
    if (request_uri === '') {
      request.query = others;
      return;
    }
    const { client_id } = others;
    if (client_id === undefined || client_id === '')
      throw invalidParameter('client_id', violation('required'));
    if (typeof client_id !== 'string' || typeof request_uri !== 'string' || !isClientId(client_id))
      throw invalidRequestUri();
    const browser = cookie.secretOf(request);
    const parameters = await pushedRequests.open(client_id, request_uri, browser);
    if (parameters === null) throw invalidRequestUri();
    cookie.set(reply, browser);
    request.query = { ...parameters, request_uri };
  };
}
