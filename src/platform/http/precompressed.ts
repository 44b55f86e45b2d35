import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ContentEncoding, preferredEncoding } from './accept.js';
import { etagOfBody, includesTag } from './etag.js';

interface Representation {
  readonly body: Buffer;
  readonly etag: string;
}

/** Quality 11 takes twenty times as long, and saves less than a tenth of the size. */
const brotliQuality = 9;

const encoders: Readonly<Record<ContentEncoding, (plain: Buffer) => Promise<Buffer>>> = {
  br: (plain) =>
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  gzip: (plain) => promisify(gzip)(plain),
  identity: async (plain) => plain,
};

/** Static content in the encoding that the client prefers, with an entity tag for each encoding. */
export class Precompressed {
  readonly #content: () => Buffer | string;
  #plain: Buffer | undefined;
  readonly #representations = new Map<ContentEncoding, Promise<Representation>>();

  /** @param content a function is called once, for the first request. */
  constructor(content: Buffer | string | (() => string)) {
    this.#content = typeof content === 'function' ? content : () => content;
  }

  /**
   * Sends the content, or 304 if the client has it. The caller sets media type, status and caching.
   *
   * @see RFC 9110 section 13.1.2
   */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const encoding = preferredEncoding(request.headers);
    const { body, etag } = await this.#representation(encoding);
    reply.headers({ vary: 'accept-encoding', etag });
    if (includesTag(request.headers['if-none-match'], etag)) {
      return reply.removeHeader('content-type').code(304).send();
    }
    if (encoding !== 'identity') reply.header('content-encoding', encoding);
    return reply.send(body);
  }

  #representation(encoding: ContentEncoding): Promise<Representation> {
    const existing = this.#representations.get(encoding);
    if (existing !== undefined) return existing;
    // Compressed for the first request and not at start, which would take longer.
    const created = this.#encode(encoding);
    this.#representations.set(encoding, created);
    // A file that could not be read is read again for the next request.
    created.catch(() => this.#representations.delete(encoding));
    return created;
  }

  async #encode(encoding: ContentEncoding): Promise<Representation> {
    this.#plain ??= Buffer.from(this.#content());
    const body = await encoders[encoding](this.#plain);
    // Of the encoded bytes: servers with different versions of zlib must not share a strong tag.
    return { body, etag: etagOfBody(body) };
  }
}
