import { authorize } from './authorize.mjs';
import { send } from './send.mjs';

/** Drops tables that every operation reads, so that every request fails with an internal error. */
async function breakDatabase({ prisma }) {
  await prisma.$executeRawUnsafe('DROP TABLE applications, revoked_access_tokens CASCADE');
}

/** One request for each form of error: a problem, an error of the authorization endpoint, and an OAuth 2.0 error. */
const requests = {
  employees: async (world, server) => send(server.base, '/v1/employees', { token: await world.token() }),
  authorize: (world, server) => authorize(world, { server }),
  token: (world, server) =>
    send(server.base, '/v1/oauth/token', {
      form: { grant_type: 'client_credentials', ...world.credentials('demobackend') },
    }),
};

const afterwards = (fault, request) => async (world) => {
  const server = await world.unlimited();
  await world.once(fault.name, () => fault(world.database));
  return request(world, server);
};

function stopDatabase(database) {
  return database.close();
}

/** Errors of a server whose database fails. They are recorded last, because the database is unusable afterwards. */
export const failures = {
  InternalServerErrorResponseExample: afterwards(breakDatabase, requests.employees),
  AuthorizeInternalServerErrorResponseExample: afterwards(breakDatabase, requests.authorize),
  OAuthInternalServerErrorResponseExample: afterwards(breakDatabase, requests.token),
  ServiceUnavailableResponseExample: afterwards(stopDatabase, requests.employees),
  AuthorizeServiceUnavailableResponseExample: afterwards(stopDatabase, requests.authorize),
  OAuthServiceUnavailableResponseExample: afterwards(stopDatabase, requests.token),
};
