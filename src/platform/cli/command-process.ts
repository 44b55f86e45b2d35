import type { Readable } from 'node:stream';
import type { openDatabase } from '../database/open-database.js';

interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Environment, streams and exit code of a command. `process` is one. */
export interface CommandProcess {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Default: opens the database of the environment for the command. A caller with an open database can share it. */
  readonly openDatabase?: typeof openDatabase;
  /** Exit code of the process. */
  exitCode?: NodeJS.Process['exitCode'];
}
