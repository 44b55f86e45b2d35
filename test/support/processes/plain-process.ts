/**
 * The command line that runs a Node.js program without tap. Tap adds a module that records what is loaded to
 * `NODE_OPTIONS` of every process that a test starts, which takes each Node.js process half a second of CPU time.
 *
 * @param nodeOptions what `NODE_OPTIONS` is instead
 * @returns program and arguments for `spawn`
 */
export function withoutTap(
  program: string,
  args: readonly string[],
  nodeOptions = '',
): [program: string, args: string[]] {
  return ['env', [`NODE_OPTIONS=${nodeOptions}`, program, ...args]];
}
