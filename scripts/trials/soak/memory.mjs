import { residentBytes } from '../../bench/measure/processor-time.mjs';
import { median } from '../../bench/measure/statistics.mjs';

/** Follows how much memory of a process is resident. */
export class Memory {
  #pid;
  #samples = [];

  constructor(pid) {
    this.#pid = pid;
  }

  begin() {
    this.timer = setInterval(() => this.#samples.push(residentBytes(this.#pid) / 2 ** 20), 250);
  }

  end() {
    clearInterval(this.timer);
  }

  /** Mebibytes once the process was warm, which a fifth of the time is for, and in the end. */
  get growth() {
    const count = this.#samples.length;
    const warm = median(this.#samples.slice(Math.floor(count * 0.2), Math.ceil(count * 0.35)));
    return { warm, end: median(this.#samples.slice(Math.floor(count * 0.85))) };
  }
}
