import type { Readable } from 'node:stream';

interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Environment, streams and exit code of a command; a subset of `process`. */
export interface CommandProcess {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Exit code of the process. */
  exitCode?: NodeJS.Process['exitCode'];
}
