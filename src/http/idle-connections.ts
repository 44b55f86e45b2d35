import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

/** How long a connection may be silent. */
export interface SilenceLimits {
  /** Milliseconds without a byte in either direction, after which a connection is closed. */
  readonly silenceMs: number;
  /** Milliseconds between two looks at a connection, by which it may be closed later. */
  readonly intervalMs: number;
}

/** Intervals without a byte that followed one upon the other. */
interface Silence {
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
export function closeSilentConnections(server: Server, { silenceMs, intervalMs }: SilenceLimits): void {
  const silences = new WeakMap<Socket, Silence>();
  server.setTimeout(intervalMs, (socket: Socket) => {
    // Node.js waits for the next request with another timeout, and tells of its end by the same event.
    if (socket.timeout !== intervalMs) {
      socket.destroy();
      return;
    }
    const silence = silenceOf(socket, silences.get(socket), intervalMs);
    if (silence.seenAt - silence.since >= silenceMs) {
      socket.destroy();
      return;
    }
    silences.set(socket, silence);
    socket.setTimeout(intervalMs);
  });
}

function silenceOf(socket: Socket, earlier: Silence | undefined, intervalMs: number): Silence {
  const seenAt = performance.now();
  const bytes = `${socket.bytesRead} ${socket.bytesWritten} ${socket.writableLength}`;
  // An interval in which a part of a response left is passed over without an event.
  const goesOn = earlier?.bytes === bytes && seenAt - earlier.seenAt < 1.9 * intervalMs;
  return { since: goesOn ? earlier.since : seenAt - intervalMs, seenAt, bytes };
}
