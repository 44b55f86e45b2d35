import type { FastifyInstance } from 'fastify';
import type { Contract } from '../contract/contract.js';
import { toOpenapi30 } from '../contract/openapi-3-0.js';
import type { Localise } from '../contract/published.js';

/** Serves the contract itself, for generators and readers. */
export async function documentRoutes(
  app: FastifyInstance,
  { contract, localise }: { contract: Contract; localise: Localise },
): Promise<void> {
  const yaml = localise(contract.yaml);
  const json = localise(JSON.stringify(contract.document));
  const older = localise(JSON.stringify(toOpenapi30(contract.document)));
  const headers = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' };
  app.get('/openapi/v1.yaml', async (_, reply) => reply.headers(headers).type('application/yaml').send(yaml));
  app.get('/openapi/v1.json', async (_, reply) => reply.headers(headers).type('application/json').send(json));
  app.get('/openapi/v1-3.0.json', async (_, reply) =>
    reply.headers(headers).type('application/json').send(older),
  );
}
