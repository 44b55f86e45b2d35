import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { withoutTap } from '../../../support/processes/plain-process.js';

/** What a program in another language reads as JSON from its argument. `credential` is a secret or a private key. */
export interface ProgramSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
  readonly method: 'none' | 'client_secret_basic' | 'private_key_jwt';
  readonly credential: string;
}

/** The claims that a program has validated or read. */
export interface ProgramOutcome {
  readonly claims: Readonly<Record<string, unknown>>;
  /** Those of the ID token of a refresh, when the program refreshes. */
  readonly refreshedClaims?: Readonly<Record<string, unknown>>;
  readonly userInfo: Readonly<Record<string, unknown>>;
}

/**
 * Runs a program that signs a user in: it writes the authorization request as a line, reads the URL of the response, and writes the
 * outcome as JSON.
 *
 * @param authorize opens the authorization request in a browser, and returns the URL that the user is redirected to
 * @throws with the errors of the program when it fails
 */
export async function runRelyingProgram(
  [program, ...args]: readonly [string, ...string[]],
  settings: ProgramSettings,
  authorize: (url: URL) => Promise<URL>,
): Promise<ProgramOutcome> {
  const child = spawn(...withoutTap(program, [...args, JSON.stringify(settings)]));
  const closed = once(child, 'close');
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done !== true) child.stdin.end(`${await authorize(new URL(first.value))}\n`);
  const second = await lines.next();
  const [code] = await closed;
  if (code !== 0 || second.done === true) throw new Error(errors);
  return JSON.parse(second.value);
}
