/**
 * The command line that runs a Node.js program without tap. Tap adds a module to `NODE_OPTIONS` of every process that a test
 * starts. It records loaded modules, which takes each Node.js process half a second of CPU time.
 *
 * @param nodeOptions value of `NODE_OPTIONS` instead
 * @returns program and arguments for `spawn`
 */
export function withoutTap(
  program: string,
  args: readonly string[],
  nodeOptions = '',
): [program: string, args: string[]] {
  return ['env', [`NODE_OPTIONS=${nodeOptions}`, program, ...args]];
}
