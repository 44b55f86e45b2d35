import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

/** How long a connection may be idle. */
export interface IdleLimits {
  /** Milliseconds without a byte in either direction, after which a connection is closed. */
  readonly idleMs: number;
  /** Milliseconds between two looks at a connection, by which it may be closed later. */
  readonly intervalMs: number;
}

/** Consecutive intervals without a byte. */
interface IdleTime {
  readonly since: number;
  readonly seenAt: number;
  readonly bytes: string;
}

/**
 * Closes connections on which no byte has moved for a time, because the client has stopped reading or has vanished.
 *
 * The timeout of Node.js is not enough: where a part of a response has left after it was written, Node.js finds that out
 * when the time is over and waits for as long again. A client that reads nothing would be closed after twice the time.
 * Only this timeout sees that a large response moves on, though: it is therefore used for short intervals, and a
 * connection is closed after enough of them in which nothing has moved.
 */
export function closeIdleConnections(server: Server, { idleMs, intervalMs }: IdleLimits): void {
  const idleTimes = new WeakMap<Socket, IdleTime>();
  server.setTimeout(intervalMs, (socket: Socket) => {
    // Node.js waits for the next request with another timeout, and reports its end with the same event.
    if (socket.timeout !== intervalMs) {
      socket.destroy();
      return;
    }
    const idle = idleTimeOf(socket, idleTimes.get(socket), intervalMs);
    if (idle.seenAt - idle.since >= idleMs) {
      socket.destroy();
      return;
    }
    idleTimes.set(socket, idle);
    socket.setTimeout(intervalMs);
  });
}

function idleTimeOf(socket: Socket, earlier: IdleTime | undefined, intervalMs: number): IdleTime {
  const seenAt = performance.now();
  const bytes = `${socket.bytesRead} ${socket.bytesWritten} ${socket.writableLength}`;
  // An interval in which a part of a response left is passed over without an event.
  const goesOn = earlier?.bytes === bytes && seenAt - earlier.seenAt < 1.9 * intervalMs;
  return { since: goesOn ? earlier.since : seenAt - intervalMs, seenAt, bytes };
}
