import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { prefersGzip } from './accept.js';

/** Bytes that never change, for a reply: compressed for clients that prefer it. */
export class Precompressed {
  #gzip: Buffer | undefined;
  readonly #plain: Buffer;

  constructor(content: Buffer | string) {
    this.#plain = Buffer.from(content);
  }

  /** Sends the bytes; media type and status are the caller's. */
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    reply.header('vary', 'accept-encoding');
    if (!prefersGzip(request.headers)) return reply.send(this.#plain);
    this.#gzip ??= gzipSync(this.#plain);
    return reply.header('content-encoding', 'gzip').send(this.#gzip);
  }
}
