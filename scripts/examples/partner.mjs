import { restrictableAttributes } from '../../dist/src/platform/contract/employee-attributes.js';
import { hashSecret } from '../../dist/src/platform/crypto/keyring.js';

const webhookScopes = ['reports:read', 'webhooks:read', 'webhooks:write'];

/** Creates an application that may read all attributes of the contract and these custom ones, and returns its token. */
export async function partner(world, id, { scopes = webhookScopes, custom = [] } = {}) {
  const secret = `secret of ${id}`;
  const application = {
    id,
    accountId: 'demoacme',
    clientId: id,
    name: id,
    clientType: 'confidential',
    scopes,
    readableAttributes: [...restrictableAttributes, ...custom],
  };
  await world.database.prisma.application.create({ data: application });
  await world.database.prisma.applicationSecret.create({
    data: { id, accountId: 'demoacme', applicationId: id, secretHash: hashSecret(secret) },
  });
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  return (await world.send('/v1/oauth/token', { form })).body.access_token;
}
