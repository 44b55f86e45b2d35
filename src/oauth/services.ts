import { type OperationId, operationOf } from '../platform/contract/contract.js';
import type { Core } from '../platform/core.js';
import { ClientAssertions } from './clients/client-assertion.js';
import { ClientAuthentication } from './clients/client-authentication.js';
import { ClientRegistry } from './clients/client-registry.js';
import { Installations } from './clients/installations.js';
import { KeySets } from './clients/key-sets.js';
import { LastUseRecorder } from './clients/last-use-recorder.js';
import { MetadataDocumentFetcher } from './clients/metadata-document-fetch.js';
import { MetadataDocuments } from './clients/metadata-documents.js';
import { ProofNonces } from './dpop/nonces.js';
import { ProofVerifier } from './dpop/proof-verifier.js';
import { UsedProofs } from './dpop/used-proofs.js';
import { AuthorizationCodes } from './grants/authorization-codes.js';
import { Grants } from './grants/grants.js';
import { PushedRequests } from './grants/pushed-requests.js';
import type { SigningKeys } from './keys/signing-keys.js';
import { AccessTokens } from './tokens/access-tokens.js';
import { IdTokens } from './tokens/id-tokens.js';
import { RefreshTokens } from './tokens/refresh-tokens.js';
import { createTokenStatus } from './tokens/token-status.js';

/** What the endpoints of the authorization server share. */
export type OAuthServices = ReturnType<typeof createOAuthServices>;

export function createOAuthServices(core: Core, signingKeys: SigningKeys) {
  const { config, database, clock, logger } = core;
  const grants = new Grants(database);
  const urlOf = (id: OperationId) => `${config.baseUrl}${operationOf(core.contract, id).path}`;
  const tokenSettings = { issuer: config.baseUrl, ttlSeconds: config.accessTokenTtlSeconds, clock };
  const clients = new ClientRegistry(database);
  const lastUseRecorder = new LastUseRecorder(database, clock, logger);
  const assertions = new ClientAssertions({
    database,
    clock,
    keySets: new KeySets(clock, { allowLocal: !config.production }),
    audiences: [config.baseUrl, urlOf('createToken'), urlOf('createPushedRequest')],
  });
  return {
    ...core,
    clients,
    clientAuthentication: new ClientAuthentication({ ...core, clients, assertions, lastUseRecorder }),
    documents: new MetadataDocuments(core, new MetadataDocumentFetcher({ allowLocal: !config.production })),
    installations: new Installations(database),
    lastUseRecorder,
    grants,
    codes: new AuthorizationCodes(database, grants),
    pushedRequests: new PushedRequests(database, clock),
    refreshTokens: new RefreshTokens(core, grants),
    proofs: {
      verifier: new ProofVerifier(new ProofNonces(core.appSecrets, clock), config.baseUrl),
      used: new UsedProofs(database),
    },
    accessTokens: new AccessTokens(signingKeys, tokenSettings),
    findLiveToken: createTokenStatus(database),
    idTokens: new IdTokens(signingKeys, tokenSettings),
  };
}
