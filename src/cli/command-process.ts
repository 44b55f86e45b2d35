import type { Readable } from 'node:stream';

interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** What a command has of the process that it runs in; `process` is one. */
export interface CommandProcess {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** What the process will end with. */
  exitCode?: NodeJS.Process['exitCode'];
}
