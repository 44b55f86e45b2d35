import { EventEmitter } from 'node:events';
import type { Connection } from 'pg';

/**
 * Takes a row: the bytes of its message are those from `start` on. They are the taker's to read, not to keep longer than
 * it must: whatever else the network brought together with them is kept as well.
 */
export type RowTaker = (message: Buffer, start: number, end: number) => void;

/** What the driver offers, beyond what its types tell. */
interface AttachingConnection {
  attachListeners(stream: EventEmitter): void;
}

const taps = new WeakMap<Connection, RowTap>();

/** Prepares a connection that was not opened yet for {@link takeRows}. */
export function installRowTap(connection: Connection): void {
  const driver = connection as unknown as AttachingConnection;
  const attachListeners = driver.attachListeners.bind(connection);
  driver.attachListeners = (stream) => {
    const tap = new RowTap(stream);
    taps.set(connection, tap);
    attachListeners(tap);
  };
}

/**
 * Has the rows that come from now on handed over as bytes. The driver would decode each of them and make objects of it,
 * for which a million rows take longer than for anything else. Ends with {@link leaveRows}.
 */
export function takeRows(connection: Connection, taker: RowTaker): void {
  const tap = taps.get(connection);
  if (tap === undefined) throw new Error('This connection was not prepared for rows of bytes');
  tap.taker = taker;
}

/** Leaves rows to the driver again. */
export function leaveRows(connection: Connection): void {
  const tap = taps.get(connection);
  if (tap !== undefined) tap.taker = null;
}

/** Bytes of the message of a row before its first column's value. */
export const firstColumnOffset = 11;

/** The kind of a message and its length, which does not count the kind. */
const headerLength = 5;
const dataRow = 'D'.charCodeAt(0);
const nothing = Buffer.alloc(0);

/**
 * Stands between the network and the driver, for which it is the stream that it reads. Passes on everything as it comes,
 * except rows for which there is a taker.
 *
 * @see the PostgreSQL documentation on message formats
 */
export class RowTap extends EventEmitter {
  taker: RowTaker | null = null;
  /** The beginning of a message that is not a whole header yet. */
  #head: Buffer = nothing;
  /** Bytes to come of a message that is being passed on. */
  #passing = 0;
  /** A row to be taken of which only so much has come. */
  #row: Buffer | null = null;
  #filled = 0;

  constructor(stream: EventEmitter) {
    super();
    stream.on('data', (chunk: Buffer) => this.#read(chunk));
    stream.on('end', () => this.emit('end'));
  }

  #read(received: Buffer): void {
    const chunk = this.#head.length === 0 ? received : Buffer.concat([this.#head, received]);
    this.#head = nothing;
    let passed = this.#fillRow(chunk);
    let offset = Math.min(chunk.length, passed + this.#passing);
    this.#passing -= offset - passed;
    while (chunk.length - offset >= headerLength) {
      const end = offset + 1 + chunk.readUInt32BE(offset + 1);
      if (this.taker === null || chunk[offset] !== dataRow) {
        offset = Math.min(end, chunk.length);
        this.#passing = end - offset;
        continue;
      }
      this.#pass(chunk, passed, offset);
      if (end > chunk.length) {
        this.#beginRow(chunk, offset, end);
        return;
      }
      this.taker(chunk, offset, end);
      offset = end;
      passed = end;
    }
    this.#pass(chunk, passed, offset);
    this.#head = chunk.subarray(offset);
  }

  #pass(chunk: Buffer, start: number, end: number): void {
    if (start < end) this.emit('data', chunk.subarray(start, end));
  }

  #beginRow(chunk: Buffer, start: number, end: number): void {
    this.#row = Buffer.allocUnsafe(end - start);
    this.#filled = chunk.copy(this.#row, 0, start);
  }

  /** @returns how much of the chunk belongs to a row that has begun */
  #fillRow(chunk: Buffer): number {
    const row = this.#row;
    if (row === null) return 0;
    const taken = chunk.copy(row, this.#filled);
    this.#filled += taken;
    if (this.#filled === row.length) {
      this.#row = null;
      this.taker?.(row, 0, row.length);
    }
    return taken;
  }
}
