const lineFeed = 0x0a;
const quote = 0x22;

/** Counts the rows of a CSV table while it is sent. A quoted value may contain LF, which ends no row. */
export class RowCounter {
  #isHeader = true;
  #isQuoted = false;

  /** Returns how many rows end in the next bytes of the table. The header line is not a row. */
  count(bytes: Buffer): number {
    let rows = 0;
    // Inside a quoted value a doubled quotation mark ends the value and begins it again.
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === quote) this.#isQuoted = !this.#isQuoted;
      else if (byte === lineFeed && !this.#isQuoted) rows += 1;
    }
    if (!this.#isHeader || rows === 0) return rows;
    this.#isHeader = false;
    return rows - 1;
  }
}
