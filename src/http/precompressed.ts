import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { accepts } from './accept.js';

/** Unchanging bytes for a reply: packed for those who take them so, as they are for the others. */
export class Precompressed {
  #gzip: Buffer | undefined;
  readonly #plain: Buffer;

  constructor(content: Buffer | string) {
    this.#plain = Buffer.from(content);
  }

  /** Sends the bytes; media type and status are the caller's. */
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    reply.header('vary', 'accept-encoding');
    if (!accepts(request.headers['accept-encoding'], 'gzip')) return reply.send(this.#plain);
    this.#gzip ??= gzipSync(this.#plain);
    return reply.header('content-encoding', 'gzip').send(this.#gzip);
  }
}
