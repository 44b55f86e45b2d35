import { authorize } from './authorize.mjs';
import { send } from './send.mjs';

/**
 * Sends a request, sets its count to the limit, and sends it again. Sending thousands of requests instead can take
 * minutes.
 */
async function exceed({ database }, limit, request) {
  await request();
  await database.prisma.requestCount.updateMany({ data: { points: limit } });
  return request();
}

/** The default rate limits. */
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

/** The error for an expired access token. */
export const lifetimes = {
  TokenExpiredResponseExample: async (world) => {
    const at = () => new Date(world.time.getTime() + hourMs);
    const later = await world.startOther({ at });
    return send(later.base, '/v1/employees', { token: await world.token() });
  },
};
