import type { Socket } from 'node:net';

/** Checks in a period. */
const checksPerPeriod = 12;

/**
 * Checks that a client reads a minimum number of bytes in each period in which bytes are waiting for it. Bytes count as read
 * when the kernel has accepted them; its buffers hold at most a few megabytes.
 *
 * @returns stops the checks
 */
export function watchThroughput(
  socket: Socket,
  { minimumBytes, periodMs }: { minimumBytes: number; periodMs: number },
  onTooSlow: () => void,
): () => void {
  let acceptedBefore = acceptedBytes(socket);
  // Counts checks instead of time: while the process is busy the client cannot read.
  let checks = 0;
  const timer = setInterval(() => {
    const accepted = acceptedBytes(socket);
    // While nothing is waiting, the database is slow and not the client.
    const isWaiting = socket.writableLength > 0;
    if (!isWaiting || accepted - acceptedBefore >= minimumBytes) {
      acceptedBefore = accepted;
      checks = 0;
      return;
    }
    checks += 1;
    if (checks >= checksPerPeriod) onTooSlow();
  }, periodMs / checksPerPeriod);
  timer.unref();
  return () => clearInterval(timer);
}

/** `bytesWritten` includes bytes that are buffered in the process. */
function acceptedBytes({ bytesWritten, writableLength }: Socket): number {
  return bytesWritten - writableLength;
}
