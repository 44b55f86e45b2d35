import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

const token = '/v1/oauth/token';
const employees = '/v1/employees';

const keyOf = (world) =>
  world.once('key of proofs', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    return { privateKey, jwk: await exportJWK(publicKey) };
  });

/** A DPoP proof; without `nonce` it is rejected. */
async function createProof(world, { method, path, nonce, accessToken }) {
  const { privateKey, jwk } = await keyOf(world);
  const claims = {
    jti: randomUUID(),
    htm: method,
    htu: `${world.server.base}${path}`,
    ...(nonce !== undefined && { nonce }),
    ...(accessToken !== undefined && {
      ath: createHash('sha256').update(accessToken).digest('base64url'),
    }),
  };
  return new SignJWT(claims)
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
    .setIssuedAt()
    .sign(privateKey);
}

const requestToken = (world, proof) =>
  world.send(token, {
    form: { grant_type: 'client_credentials', ...world.credentials('demobackend') },
    headers: { dpop: proof },
  });

const withoutNonce = (world) =>
  world.once('proof without nonce', async () =>
    requestToken(world, await createProof(world, { method: 'POST', path: token })),
  );

const nonceOf = async (world) => (await withoutNonce(world)).headers['dpop-nonce'];

/** A bound access token, and the proof with which it was requested. */
const boundToken = (world) =>
  world.once('bound token', async () => {
    const proof = await createProof(world, { method: 'POST', path: token, nonce: await nonceOf(world) });
    const { body } = await requestToken(world, proof);
    return { proof, accessToken: body.access_token };
  });

async function listEmployees(world, nonce) {
  const { accessToken } = await boundToken(world);
  const dpop = await createProof(world, { method: 'GET', path: employees, nonce, accessToken });
  return () => world.send(employees, { headers: { authorization: `DPoP ${accessToken}`, dpop } });
}

/** Rejected proofs of possession. */
export const proofs = {
  TokenUseDpopNonceResponseExample: withoutNonce,
  TokenInvalidDpopProofResponseExample: async (world) => requestToken(world, (await boundToken(world)).proof),
  UseDpopNonceResponseExample: async (world) => (await listEmployees(world))(),
  InvalidDpopProofResponseExample: async (world) => {
    const list = await listEmployees(world, await nonceOf(world));
    await list();
    return list();
  },
};
