import { operationOf } from '../platform/contract/contract.js';
import type { components } from '../platform/contract/generated.js';
import { invalidParameter } from '../platform/problems/invalid-request.js';
import { Problem } from '../platform/problems/problem.js';
import { violation } from '../platform/problems/rule-texts.js';
import { checkStateLength } from './authorization-request.js';
import { isApplication, stageError } from './clients/client-registry.js';
import { type ClientCall, readClientCredentials, requireAuthentication } from './clients/credentials.js';
import { isMetadataDocumentUrl } from './clients/metadata-document.js';
import { checkRedirectUri } from './clients/redirect-uris.js';
import { readSignInDemands } from './consent/sign-in-demands.js';
import { invalidProof } from './dpop/proof-verifier.js';
import { useProof } from './dpop/use-proof.js';
import { pushedRequestSeconds } from './grants/pushed-requests.js';
import { readResource } from './resources.js';
import { selectScopes } from './scopes.js';
import type { OAuthServices } from './services.js';

type PushedRequestForm = components['schemas']['PushedAuthorizationRequest'];
type PushedRequestResponse = components['schemas']['PushedAuthorizationResponse'];

/**
 * Checks an authorization request that a client sends directly, not in the URL of a browser, as the authorization endpoint does before
 * the user signs in, and stores it.
 *
 * @throws {Problem} 400 `invalid_request`, `invalid_scope`, `invalid_target`, `unauthorized_client`, `invalid_dpop_proof` or
 *   `use_dpop_nonce`; 401 `invalid_client`; 429 `rate_limit_exceeded`
 * @see RFC 9126 section 2
 */
export async function pushRequest(
  services: OAuthServices,
  form: PushedRequestForm,
  call: ClientCall,
): Promise<PushedRequestResponse> {
  const { clientAuthentication, config, contract, pushedRequests } = services;
  if ('request_uri' in form) throw invalidParameter('request_uri', violation('not_in_pushed_request'));
  const credentials = readClientCredentials(form, call.authorization);
  // Before the client is looked up: the response is the same whether or not its document is stored.
  if (isMetadataDocumentUrl(credentials.clientId ?? '')) throw describedByDocument();
  const client = await clientAuthentication.identify(credentials, call);
  if (!isApplication(client)) throw describedByDocument();
  if (client.clientType === 'confidential') requireAuthentication(credentials);
  const forbidden = stageError(client);
  if (forbidden !== undefined) throw new Problem('unauthorized_client', forbidden);
  checkStateLength(form.state);
  readSignInDemands(form);
  checkRedirectUri(client, form.redirect_uri);
  selectScopes(form.scope, client.scopes);
  readResource(form.resource, config.baseUrl);
  const key = await readKey(services, form, call);
  // Other members of the form, such as the credentials, are not stored.
  const { queryParameters } = operationOf(contract, 'authorize');
  const given = Object.entries(form).filter(([name]) => queryParameters.has(name));
  const requestUri = await pushedRequests.store(client, {
    ...Object.fromEntries(given),
    ...key,
    client_id: client.clientId,
  });
  return { request_uri: requestUri, expires_in: pushedRequestSeconds };
}

/**
 * The key to which the code is bound: that of the DPoP proof of the request.
 *
 * @throws {Problem} 400 `invalid_dpop_proof`, also when the request names another key
 * @see RFC 9449 section 10.1
 */
async function readKey(
  { proofs }: OAuthServices,
  { dpop_jkt }: PushedRequestForm,
  { dpop, onNextNonce }: ClientCall,
): Promise<{ dpop_jkt?: string }> {
  if (dpop === undefined) return {};
  const jkt = await useProof(proofs, dpop, onNextNonce);
  if (dpop_jkt !== undefined && dpop_jkt !== jkt)
    throw invalidProof('dpop_jkt must be the thumbprint of the key of the DPoP proof.');
  return { dpop_jkt: jkt };
}

/** 400 `unauthorized_client`: a metadata document is read after a user has signed in. */
function describedByDocument(): Problem {
  const detail = 'An application that a metadata document describes cannot push authorization requests.';
  return new Problem('unauthorized_client', detail);
}
