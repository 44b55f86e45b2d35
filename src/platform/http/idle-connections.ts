import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

/** Limits of idle connections. */
export interface IdleLimits {
  /** Milliseconds without a byte in either direction, after which a connection is closed. */
  readonly idleMs: number;
  /** Milliseconds between two checks of a connection, by which it may be closed later. */
  readonly intervalMs: number;
}

/** Consecutive intervals without a byte. */
interface IdleTime {
  readonly since: number;
  readonly seenAt: number;
  readonly bytes: string;
}

/**
 * Closes connections without traffic, because the client has stopped reading or has disappeared.
 *
 * The socket timeout of Node.js alone is not enough: if a part of a response was sent after it was written, Node.js
 * detects that only after the timeout and waits again. A client that reads nothing would be disconnected after twice the
 * time. But only this timeout detects the progress of a large response: it is therefore used for short intervals, and a
 * connection is closed after several intervals without traffic.
 */
export function closeIdleConnections(server: Server, { idleMs, intervalMs }: IdleLimits): void {
  const idleTimes = new WeakMap<Socket, IdleTime>();
  server.setTimeout(intervalMs, (socket: Socket) => {
    // Node.js reports the keep-alive timeout between two requests with the same event.
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
  // Node.js emits no event for an interval in which a part of a response was sent.
  const goesOn = earlier?.bytes === bytes && seenAt - earlier.seenAt < 1.9 * intervalMs;
  return { since: goesOn ? earlier.since : seenAt - intervalMs, seenAt, bytes };
}
