import { authorize } from './authorize.mjs';
import { send } from './send.mjs';

/**
 * Sends a request, sets its count to the limit, and sends it again. To send thousands of requests would take minutes on a
 * busy machine.
 */
async function exceed({ database }, limit, request) {
  await request();
  await database.prisma.requestCount.updateMany({ data: { points: limit } });
  return request();
}

/** Limits of requests in a minute, as they are by default. */
export const rateLimits = {
  TooManyRequestsResponseExample: async (world) => {
    const token = await world.token();
    return exceed(world, world.server.config.rateLimitApi, () => world.send('/v1/employees', { token }));
  },
  AuthorizeTooManyRequestsResponseExample: (world) =>
    exceed(world, world.server.config.rateLimitApi, () => authorize(world)),
  OAuthTooManyRequestsResponseExample: (world) => {
    const form = { grant_type: 'client_credentials', ...world.credentials('demobackend') };
    return exceed(world, world.server.config.rateLimitToken, () => world.send('/v1/oauth/token', { form }));
  },
};

const hourMs = 3_600_000;

/** The end of an access token's lifetime. */
export const lifetimes = {
  TokenExpiredResponseExample: async (world) => {
    const at = () => new Date(world.time.getTime() + hourMs);
    const later = await world.startOther({ at });
    return send(later.base, '/v1/employees', { token: await world.token() });
  },
};
