import { residentBytes } from '../../kit/measure/processes.js';
import { median } from '../../kit/statistics.js';

/** Samples the resident memory of a process until it is stopped. */
export function sampleMemory(pid: number): { stop(): { warm: number; end: number } } {
  const samples: number[] = [];
  const timer = setInterval(() => samples.push(residentBytes([pid]) / 2 ** 20), 250);
  return {
    /** Mebibytes after the first fifth of the time, which is the warm-up, and at the end. */
    stop() {
      clearInterval(timer);
      const part = (from: number, to: number) =>
        median(samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to)));
      return { warm: part(0.2, 0.35), end: part(0.85, 1) };
    },
  };
}
