import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { prefersGzip } from './accept.js';

/** Static content: compressed with gzip for clients that accept it, uncompressed for others. */
export class Precompressed {
  #gzip: Buffer | undefined;
  readonly #plain: Buffer;

  constructor(content: Buffer | string) {
    this.#plain = Buffer.from(content);
  }

  /** Sends the content. The caller sets media type and status. */
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    reply.header('vary', 'accept-encoding');
    if (!prefersGzip(request.headers)) return reply.send(this.#plain);
    this.#gzip ??= gzipSync(this.#plain);
    return reply.header('content-encoding', 'gzip').send(this.#gzip);
  }
}
