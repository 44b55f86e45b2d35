import type { FastifyInstance } from 'fastify';
import type { PublishedContract } from '../contract/published.js';

/** Routes of the contract documents. */
export async function documentRoutes(
  app: FastifyInstance,
  { published }: { published: PublishedContract },
): Promise<void> {
  const { yaml, json, olderJson } = published;
  const headers = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' };
  app.get('/openapi/v1.yaml', async (_, reply) => reply.headers(headers).type('application/yaml').send(yaml));
  app.get('/openapi/v1.json', async (_, reply) => reply.headers(headers).type('application/json').send(json));
  app.get('/openapi/v1-3.0.json', async (_, reply) =>
    reply.headers(headers).type('application/json').send(olderJson),
  );
}
