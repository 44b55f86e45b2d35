import { numberText } from '../../../platform/counted.js';

/** Output for progress: a terminal, a file or a pipe. */
interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

interface Progress {
  readonly lines: number;
  readonly bytes: number;
}

const barWidth = 30;
const redrawMs = 100;
const reportMs = 5_000;

/** Shows the progress of an import: a bar on a terminal, otherwise a line every five seconds. */
export class ProgressDisplay {
  readonly #stream: ProgressStream;
  /** Absent if the size of the input is unknown. */
  readonly #totalBytes: number | undefined;
  readonly #start = Date.now();
  #shownAt = Date.now();
  #bar = '';

  constructor(stream: ProgressStream, totalBytes?: number) {
    this.#stream = stream;
    this.#totalBytes = totalBytes;
  }

  /** Shows the progress, at most once in each interval. */
  update(progress: Progress): void {
    const now = Date.now();
    if (now - this.#shownAt < (this.#stream.isTTY ? redrawMs : reportMs)) return;
    this.#shownAt = now;
    const text = this.#describe(progress, (now - this.#start) / 1000);
    if (!this.#stream.isTTY) {
      this.#stream.write(`${text}\n`);
      return;
    }
    this.#bar = `${this.#drawBar(progress)}${text}`;
    this.#stream.write(`\r\u001B[2K${this.#bar}`);
  }

  /** Writes a line above the bar. */
  log(line: string): void {
    const [before, after] = this.#bar === '' ? ['', ''] : ['\r\u001B[2K', this.#bar];
    this.#stream.write(`${before}${line}\n${after}`);
  }

  /** Removes the bar. */
  end(): void {
    if (this.#bar !== '') this.#stream.write('\r\u001B[2K');
    this.#bar = '';
  }

  #describe({ lines, bytes }: Progress, seconds: number): string {
    const share = this.#share(bytes);
    const rate = Math.round(lines / Math.max(seconds, 0.001));
    const facts = [`${numberText(lines)} lines`, `${numberText(rate)} lines/s`];
    if (share !== undefined) {
      facts.unshift(`${Math.floor(share * 100)} %`);
      if (share > 0) facts.push(`${Math.ceil((seconds / share) * (1 - share))} s left`);
    }
    return facts.join(', ');
  }

  #drawBar({ bytes }: Progress): string {
    const share = this.#share(bytes);
    if (share === undefined) return '';
    const filled = Math.round(share * barWidth);
    return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] `;
  }

  #share(bytes: number): number | undefined {
    if (this.#totalBytes === undefined || this.#totalBytes === 0) return undefined;
    return Math.min(1, bytes / this.#totalBytes);
  }
}
