import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../problems/problem.js';
import { type UploadLimits, watchUpload } from './connections.js';

/** A file of a form, whose content has not arrived yet. */
export interface UploadedFile {
  /** As the browser sent it; untrusted. */
  readonly name: string;
  /** Whether the headers of the request say that the file is larger than the limit. */
  readonly isTooLarge: boolean;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Fields before the file. */
const maximumFields = 10;
const maximumFieldBytes = 4 * 1024;

/** Maximum bytes of a form in addition to its file. */
const maximumFormBytes = 64 * 1024;

/** Lets the routes of a plugin receive `multipart/form-data`. Other routes respond with 415. */
export async function acceptUploads(app: FastifyInstance): Promise<void> {
  await app.register(multipart);
}

/**
 * Reads a form up to its file. The fields before the file are then the body of the request. Fields after the file are
 * ignored.
 *
 * @param maximumBytes of the file; what follows is not part of the content
 * @returns `null` when the form has no file, or none was selected
 * @throws {Problem} 400 `invalid_request`
 */
export async function receiveFile(
  request: FastifyRequest,
  { maximumBytes, limits }: { maximumBytes: number; limits: UploadLimits },
): Promise<UploadedFile | null> {
  if (!request.isMultipart())
    throw new Problem('invalid_request', 'The form must be sent as multipart/form-data.');
  watchUpload(request, limits);
  const fields: Record<string, unknown> = Object.create(null);
  request.body = fields;
  const options = {
    limits: { fields: maximumFields, fieldSize: maximumFieldBytes, files: 1, fileSize: maximumBytes },
    throwFileSizeLimit: false,
  };
  const isTooLarge = Number(request.headers['content-length'] ?? 0) > maximumBytes + maximumFormBytes;
  try {
    const parts = request.parts(options);
    // Not `for await`, which would end the parts with the loop.
    for (;;) {
      const { value: part, done } = await parts.next();
      if (done === true) return null;
      if (part.type === 'field') {
        if (part.value !== '') fields[part.fieldname] = part.value;
      } else {
        return part.filename ? { name: part.filename, isTooLarge, content: contentOf(part.file) } : null;
      }
    }
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** Reads and drops what has not been read of a form, so that the browser shows the response. */
export function drainRequest({ raw }: FastifyRequest): void {
  raw.unpipe();
  raw.resume();
}

async function* contentOf(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* file;
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause: unknown): Problem {
  return new Problem('invalid_request', 'The upload is malformed or incomplete.', {
    cause,
    page: {
      heading: 'The upload is incomplete',
      text: 'The file did not arrive completely. Go back and upload it again.',
    },
  });
}
