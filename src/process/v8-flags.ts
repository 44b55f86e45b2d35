import { setFlagsFromString } from 'node:v8';

/**
 * Sets options of V8 for the life of the process. To be called first: they hold for code that is compiled later. Without
 * them the benchmark `list` misses 1.6 times the limit.
 *
 * Compiled code is kept. By default V8 discards that of functions that were not called during a few garbage collections:
 * after some idle seconds the first thousand requests would take two to four times as long.
 *
 * Objects are allocated in the young generation. By default V8 allocates some in the old one where it expects them to live
 * long. Where it is wrong, which differs from process to process, a list costs up to half as much again.
 */
export function setV8Flags(): void {
  setFlagsFromString('--no-flush-bytecode');
  setFlagsFromString('--no-allocation-site-pretenuring');
}
