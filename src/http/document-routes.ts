import type { FastifyInstance } from 'fastify';
import type { Contract } from '../contract/contract.js';
import type { Localise } from '../contract/published.js';

/** Serves the contract itself, for generators and readers. */
export async function documentRoutes(
  app: FastifyInstance,
  { contract, localise }: { contract: Contract; localise: Localise },
): Promise<void> {
  const yaml = localise(contract.yaml);
  const json = localise(JSON.stringify(contract.document));
  const headers = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' };
  app.get('/openapi/v1.yaml', async (_, reply) => reply.headers(headers).type('application/yaml').send(yaml));
  app.get('/openapi/v1.json', async (_, reply) => reply.headers(headers).type('application/json').send(json));
}
