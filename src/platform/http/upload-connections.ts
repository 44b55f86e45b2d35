import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Limits of an upload. They replace the time limit of requests, so that 50 MB can be sent over a slow connection. */
export interface UploadLimits {
  /** Bytes that must arrive in each period in which the server reads. */
  readonly minimumBytes: number;
  readonly periodMs: number;
  /** Milliseconds for the whole upload. */
  readonly deadlineMs: number;
}

export const uploadLimits: UploadLimits = {
  minimumBytes: 64 * 1024,
  periodMs: 30_000,
  deadlineMs: 1_800_000,
};

/** Checks in a period. */
const checksPerPeriod = 6;

const uploading = new WeakSet<Socket>();

/** Whether a file arrives on the connection. */
export function isUploading(socket: Socket): boolean {
  return uploading.has(socket);
}

/** Closes the connection of an upload that is too slow. Watches until the body has arrived. */
export function watchUpload({ raw }: FastifyRequest, limits: UploadLimits): void {
  const { socket } = raw;
  if (raw.readableEnded || raw.destroyed) return;
  uploading.add(socket);
  const deadline = performance.now() + limits.deadlineMs;
  let bytesBefore = socket.bytesRead;
  let slowChecks = 0;
  const timer = setInterval(() => {
    const isFast = socket.bytesRead - bytesBefore >= limits.minimumBytes;
    // While the process does not read, the database is slow and not the client.
    if (isFast || raw.isPaused()) {
      bytesBefore = socket.bytesRead;
      slowChecks = 0;
    } else {
      slowChecks += 1;
    }
    if (slowChecks >= checksPerPeriod || performance.now() > deadline) socket.destroy();
  }, limits.periodMs / checksPerPeriod);
  timer.unref();
  const stop = () => {
    clearInterval(timer);
    uploading.delete(socket);
  };
  raw.once('end', stop).once('close', stop);
}
