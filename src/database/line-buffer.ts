/** Whole lines, each with its end. A cell may hold line breaks, so the bytes alone do not tell how many lines they are. */
export interface Lines {
  readonly bytes: Buffer;
  /** Number of lines. */
  readonly count: number;
}

const initialBytes = 256 * 1024;
const lineEnd = '\r\n';
const carriageReturn = 13;
const lineFeed = 10;

/**
 * Collects lines as bytes. A line becomes garbage as soon as it is written down, where a list of lines would
 * live long enough to make the heap grow.
 */
export class LineBuffer {
  #bytes = Buffer.allocUnsafe(initialBytes);
  #used = 0;
  #count = 0;

  add(line: string): void {
    // No character of a string takes more than three bytes for each of its units.
    this.#makeRoom(line.length * 3 + lineEnd.length);
    this.#used += this.#bytes.write(line, this.#used);
    this.#used += this.#bytes.write(lineEnd, this.#used, 'latin1');
    this.#count += 1;
  }

  /** The same for a line that is in UTF-8 already. */
  addBytes(source: Buffer, start: number, end: number): void {
    this.#makeRoom(end - start + lineEnd.length);
    this.#used += source.copy(this.#bytes, this.#used, start, end);
    this.#bytes[this.#used] = carriageReturn;
    this.#bytes[this.#used + 1] = lineFeed;
    this.#used += lineEnd.length;
    this.#count += 1;
  }

  /** Returns what was collected and starts again with nothing. */
  take(): Lines {
    const collected = { bytes: this.#bytes.subarray(0, this.#used), count: this.#count };
    this.#bytes = Buffer.allocUnsafe(initialBytes);
    this.#used = 0;
    this.#count = 0;
    return collected;
  }

  #makeRoom(bytes: number): void {
    const needed = this.#used + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}
