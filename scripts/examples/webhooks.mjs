import { partner } from './partner.mjs';

const path = '/v1/webhook_endpoints';
const example = 'WebhookEndpoint';

const token = (world) => world.once('partner', () => partner(world, 'partner'));

/** The endpoint of the other examples. */
const endpoint = (world) =>
  world.once('endpoint', async () => {
    const json = world.example('AllEventsWebhookEndpointCreateRequestExample');
    const created = await world.send(path, { json, token: await token(world) });
    world.masks.replace(created.body.data.id, '7r2k9x4m1q8z5w3v6t0y2u4i6');
    return created;
  });

const of = (suffix, options) => async (world) => {
  const { body } = await endpoint(world);
  return world.send(`${path}/${body.data.id}${suffix}`, { ...options?.(world), token: await token(world) });
};

/** A token without the scopes for webhooks. */
const reader = (world) => world.once('reader', () => partner(world, 'reader', { scopes: ['reports:read'] }));

/** Webhook endpoints. */
export const webhooks = {
  [`${example}CreatedResponseExample`]: endpoint,
  AllEventsWebhookEndpointCreateRequestExample: endpoint,
  DeletionsWebhookEndpointCreateRequestExample: async (world) =>
    world.send(path, {
      json: world.example('DeletionsWebhookEndpointCreateRequestExample'),
      token: await world.once('other partner', () => partner(world, 'otherpartner')),
    }),
  [`${example}sResponseExample`]: async (world) => {
    await endpoint(world);
    return world.send(path, { token: await token(world) });
  },
  [`${example}ResponseExample`]: of(''),
  WebhookTestDeliveryResponseExample: (world) =>
    world.once('test', () => of('/test_deliveries', () => ({ method: 'POST' }))(world)),
  WebhookDeliveriesResponseExample: async (world) => {
    await world.recorded('WebhookTestDeliveryResponseExample');
    return of('/deliveries')(world);
  },
  TypesWebhookEndpointUpdateRequestExample: (world) => world.recorded(`${example}UpdatedResponseExample`),
  [`${example}UpdatedResponseExample`]: of('', (world) => ({
    method: 'PATCH',
    json: world.example('TypesWebhookEndpointUpdateRequestExample'),
  })),
  AfterWebhookEndpointResumptionRequestExample: (world) => world.recorded(`${example}ResumedResponseExample`),
  [`${example}ResumedResponseExample`]: of('/resumptions', (world) => ({
    json: world.example('AfterWebhookEndpointResumptionRequestExample'),
  })),
  [`${example}SecretReplacedResponseExample`]: of('/secrets', () => ({ method: 'POST' })),
  [`${example}NotFoundResponseExample`]: async (world) =>
    world.send(`${path}/unknown`, { token: await token(world) }),
  PrivateAddressResponseExample: async (world) =>
    world.send(path, { json: { url: 'https://127.0.0.1/events' }, token: await token(world) }),
  WebhooksReadScopeMissingResponseExample: async (world) => world.send(path, { token: await reader(world) }),
  WebhooksWriteScopeMissingResponseExample: async (world) =>
    world.send(path, {
      json: { url: 'https://partner.example/events' },
      token: await reader(world),
    }),
  PublicApplicationResponseExample: async (world) => {
    const publicToken = await partner(world, 'public');
    await world.database.prisma.application.updateMany({
      where: { id: 'public' },
      data: { clientType: 'public' },
    });
    return world.send(path, { json: { url: 'https://partner.example/events' }, token: publicToken });
  },
  WebhookQuotaExceededResponseExample: async (world) => {
    const busy = await partner(world, 'busy');
    const json = { url: 'https://partner.example/events' };
    for (let count = 0; count < 20; count += 1) await world.send(path, { json, token: busy });
    return world.send(path, { json, token: busy });
  },
};
