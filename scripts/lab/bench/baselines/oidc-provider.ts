// panva/node-oidc-provider with everything in memory: JWT access tokens (ES256) for one resource server, client
// credentials, and refresh tokens that are rotated at every use.
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import type { Tenant } from '../../kit/database/tenants.js';
import { baseUrl } from '../../kit/paths.js';

const resource = 'https://api.bench';
const scope = 'reports:read reports:write user:read user:write';
const { CLIENTS = '[]', PORT } = process.env;
const clients: Tenant[] = JSON.parse(CLIENTS);
const { privateKey } = await generateKeyPair('ES256', { extractable: true });

const provider = new Provider(baseUrl, {
  clients: clients.map(({ clientId, clientSecret }) => ({
    client_id: clientId,
    client_secret: clientSecret,
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['client_credentials', 'authorization_code', 'refresh_token'],
    redirect_uris: ['https://client.bench/callback'],
    scope: `${scope} offline_access`,
    id_token_signed_response_alg: 'ES256',
  })),
  jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'bench' }] },
  cookies: { keys: ['cookies of the bench'] },
  scopes: ['offline_access', ...scope.split(' ')],
  ttl: { ClientCredentials: 3600, AccessToken: 3600, RefreshToken: 2_592_000, Grant: 2_592_000 },
  rotateRefreshToken: true,
  findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      getResourceServerInfo: () => ({
        scope,
        accessTokenTTL: 3600,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
});

/** A user and the client that the user grants access to. */
export interface GrantRequest {
  readonly clientId: string;
  readonly user: string;
}

/** Creates a grant and its first refresh token, as the consent of a user does. */
async function addGrant({ clientId, user }: GrantRequest): Promise<string> {
  const client = await provider.Client.find(clientId);
  if (client === undefined) throw new Error(`No client ${clientId}`);
  const grant = new provider.Grant({ accountId: user, clientId });
  grant.addResourceScope(resource, scope);
  const grantId = await grant.save();
  const issuedAt = Math.floor(Date.now() / 1000);
  const refreshToken = new provider.RefreshToken({
    client,
    accountId: user,
    grantId,
    gty: 'authorization_code',
    authTime: issuedAt,
    iiat: issuedAt,
    expiresWithSession: false,
    resource,
    scope: `${scope} offline_access`,
  });
  return refreshToken.save();
}

process.on('message', async ({ grants }: { grants: GrantRequest[] }) => {
  process.send?.({ refreshTokens: await Promise.all(grants.map(addGrant)) });
});

provider.use(async (context, next) => {
  if (context.path === '/readyz') context.body = {};
  else await next();
});
provider.listen(Number(PORT), '127.0.0.1');
