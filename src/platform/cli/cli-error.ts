/** Exit codes of every command, for scripts. */
export const exitCodes = { ok: 0, failure: 1, usage: 2, rejectedLines: 3, interrupted: 130 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A command failed. The message is one line for the operator. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.failure) {
    super(message);
    this.exitCode = exitCode;
  }
}
