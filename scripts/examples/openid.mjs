import { authorizationCode } from '../authorization-code.mjs';
import { demoCallback, demoPassword } from '../demo-server.mjs';

const userInfo = '/v1/oauth/userinfo';
const scopes = ['openid', 'profile', 'email'];

/** An access token of the account's owner, for an application with scopes of OpenID Connect. */
async function openIdToken(world) {
  const { application } = world.database.prisma;
  const where = { clientId: 'demospa' };
  const { jwks: _, ...stored } = await application.findUniqueOrThrow({ where });
  const clientId = 'demoopenid';
  await application.create({ data: { ...stored, id: clientId, clientId, scopes } });
  const { code, verifier } = await authorizationCode(world.server.base, {
    clientId,
    redirectUri: demoCallback,
    scope: scopes.join(' '),
    email: 'owner@acme.example',
    password: demoPassword,
  });
  const example = world.example('AuthorizationCodeTokenRequestExample');
  const form = { ...example, client_id: clientId, code, code_verifier: verifier };
  const { body } = await world.send('/v1/oauth/token', { form });
  return body.access_token;
}

/** The claims of the signed-in user. */
export const openid = {
  UserInfoResponseExample: async (world) => world.send(userInfo, { token: await openIdToken(world) }),
  OpenIdScopeMissingResponseExample: async (world) =>
    world.send(userInfo, { token: await world.token('demobackend', 'reports:read') }),
};
