import type { FastifyInstance } from 'fastify';
import { Precompressed } from '../../platform/http/precompressed.js';
import type { PublishedContract } from './published.js';

const headers = {
  'access-control-allow-origin': '*',
  'cache-control': 'public, max-age=300',
  'x-content-type-options': 'nosniff',
};

/** Routes of the contract and of the documents that are derived from it. */
export async function documentRoutes(
  app: FastifyInstance,
  { published: { yaml, json, olderJson, workflows, postman, markdown } }: { published: PublishedContract },
): Promise<void> {
  publish('/openapi/v1.yaml', 'application/yaml', yaml);
  publish('/openapi/v1.json', 'application/json', json);
  publish('/openapi/v1-3.0.json', 'application/json', olderJson);
  publish('/openapi/v1.arazzo.yaml', 'application/yaml', workflows);
  publish('/openapi/v1.postman_collection.json', 'application/json', postman);
  for (const [path, write] of markdown) {
    const type = path.endsWith('.md') ? 'text/markdown' : 'text/plain';
    publish(path, `${type}; charset=utf-8`, write);
  }

  function publish(path: string, type: string, text: string | (() => string)): void {
    const content = new Precompressed(text);
    app.get(path, async (request, reply) => content.send(request, reply.headers(headers).type(type)));
  }
}
