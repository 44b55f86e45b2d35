import type { Socket } from 'node:net';

/** Times that a period is looked at. */
const checksPerPeriod = 12;

/**
 * Watches whether a client takes a minimum of bytes in each period in which bytes are waiting for it. Bytes count once
 * the kernel has accepted them; what its buffers hold, some megabytes at most, is taken for read.
 *
 * @returns ends the watch
 */
export function watchThroughput(
  socket: Socket,
  { minimumBytes, periodMs }: { minimumBytes: number; periodMs: number },
  onTooSlow: () => void,
): () => void {
  let acceptedBefore = acceptedBytes(socket);
  // Checks are counted instead of time: a process that was busy has not given the client its chance.
  let checks = 0;
  const timer = setInterval(() => {
    const accepted = acceptedBytes(socket);
    // While nothing is waiting, it is the database that is slow.
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

/** `bytesWritten` includes the bytes that are still waiting in the process. */
function acceptedBytes({ bytesWritten, writableLength }: Socket): number {
  return bytesWritten - writableLength;
}
