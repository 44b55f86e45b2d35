import { Problem } from '../platform/problems/problem.js';
import { type Application, type Client, isApplication, stageError } from './clients/client-registry.js';
import {
  type ClientCall,
  invalidClient,
  readClientCredentials,
  requireParameter,
} from './clients/credentials.js';
import type { IssuedSecret } from './clients/installations.js';
import { withConstantTimeFailure } from './constant-time-failure.js';
import { invalidProof } from './dpop/proof-verifier.js';
import { useProof } from './dpop/use-proof.js';
import {
  authorizationCode,
  clientCredentials,
  type GrantRequest,
  type GrantType,
  publicClient,
  refreshToken,
  type TokenForm,
  type TokenResponse,
} from './grant-types.js';
import type { OAuthServices } from './services.js';

const grantTypes: ReadonlyMap<string, GrantType> = new Map(
  [clientCredentials, authorizationCode, refreshToken].map((grant) => [grant.type, grant]),
);

/** Supported values of `grant_type`. */
export const supportedGrantTypes = [...grantTypes.keys()];

/**
 * Exchanges a client secret, a code or a refresh token for tokens.
 *
 * @throws {Problem} 400 `invalid_request`, `unsupported_grant_type`, `unauthorized_client`, `invalid_scope`, `invalid_dpop_proof` or
 *   `use_dpop_nonce`; 401 `invalid_client` or `invalid_grant`; 429 `rate_limit_exceeded`
 * @see RFC 6749 section 3.2
 */
export async function exchangeToken(
  services: OAuthServices,
  form: TokenForm,
  call: ClientCall,
): Promise<TokenResponse> {
  const grantType = grantTypes.get(form.grant_type);
  if (grantType === undefined) {
    throw new Problem(
      'unsupported_grant_type',
      `grant_type must be one of ${supportedGrantTypes.join(', ')}.`,
    );
  }
  for (const name of grantType.requires) requireParameter(name, form[name]);
  const credentials = readClientCredentials(form, call.authorization);
  const client = await services.clientAuthentication.identify(credentials, call);
  return withConstantTimeFailure(async () => {
    const { secretOf } = grantType;
    const issuedTo =
      client.shared && secretOf !== null ? await findBySecret(services, secretOf(form), client, call) : null;
    const application = issuedTo ?? ownApplication(client, grantType);
    const forbidden = stageError(application);
    if (forbidden !== undefined) throw new Problem('unauthorized_client', forbidden);
    const jkt = call.dpop === undefined ? null : await useProof(services.proofs, call.dpop, call.onNextNonce);
    const request = { form, credentials, application, origin: call.origin, jkt };
    // The client credentials grant always requires the secret, and reports a missing one as a missing parameter.
    if (grantType !== clientCredentials) checkRequiredSecret(request);
    checkRequiredProof(request);
    return grantType.handle(request, services);
  });
}

/**
 * The application of the client in the account in which the code or refresh token was issued; `null` when it is unknown.
 *
 * @throws {Problem} 401 `invalid_grant` when the account must approve the application again
 */
async function findBySecret(
  { installations }: OAuthServices,
  secret: IssuedSecret,
  client: Client,
  { onAuthenticated }: ClientCall,
): Promise<Application | null> {
  const found = await installations.findBySecret(secret, client);
  if (found === null) return null;
  // The request belongs to the account that approved the application, also when it is rejected.
  onAuthenticated(found);
  if (found.suspended) throw new Problem('invalid_grant', 'The account must approve the application again.');
  return found;
}

/**
 * The client as the application of the account that has registered it.
 *
 * @throws {Problem} 401 `invalid_grant`, or 400 `unauthorized_client` for client credentials, when a metadata document describes the
 *   client
 */
function ownApplication(client: Client, { secretOf }: GrantType): Application {
  if (isApplication(client)) return client;
  if (secretOf === null) throw publicClient();
  throw new Problem(
    'invalid_grant',
    'The code or refresh token is unknown, expired, revoked or already used.',
  );
}

/**
 * Enforces the setting "Require the client secret for every token request" of an application.
 *
 * @throws {Problem} 401 `invalid_client` when the request does not contain the secret; RFC 6749 section 5.2
 * @see RFC 6749 section 3.2.1
 */
function checkRequiredSecret({ application, credentials }: GrantRequest): void {
  if (
    application.requireClientSecret &&
    credentials.clientSecret === undefined &&
    credentials.assertion === undefined
  ) {
    throw invalidClient(credentials, 'The application requires its client_secret for every token request.');
  }
}

/**
 * Enforces the setting "Require proof of possession" of an application.
 *
 * @throws {Problem} 400 `invalid_dpop_proof` when the request has no DPoP proof
 * @see RFC 9449 section 5.2, `dpop_bound_access_tokens`
 */
function checkRequiredProof({ application, jkt }: GrantRequest): void {
  if (!application.requireProofOfPossession || jkt !== null) return;
  throw invalidProof('The application requires a DPoP proof for every token request.');
}
