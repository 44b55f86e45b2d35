import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { normalizePassword } from '../accounts/normalize.js';
import { passwordError } from '../accounts/user-rules.js';
import { ruleText } from '../problems/rule-texts.js';
import { CliError, exitCodes } from './cli-error.js';
import type { CommandProcess } from './context.js';

/**
 * Reads a new password. On a terminal it prompts twice without echo; otherwise it reads the first line of standard
 * input. The password is never an argument, because other users of the machine could read it.
 *
 * @throws {CliError} when the password is invalid, or the two passwords differ
 */
export async function readNewPassword(commandProcess: CommandProcess): Promise<string> {
  const { stdin } = commandProcess;
  const password = stdin.isTTY ? await ask(commandProcess, 'Password: ') : await readLine(stdin);
  const error = await passwordError(password);
  if (error !== undefined) throw new CliError(`The password ${ruleText(error)}`);
  if (stdin.isTTY) {
    const again = await ask(commandProcess, 'Repeat the password: ');
    if (normalizePassword(again) !== normalizePassword(password)) throw new CliError('The passwords differ');
  }
  return normalizePassword(password);
}

async function ask({ stdin, stderr }: CommandProcess, question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: stdin, output: silent, terminal: true, historySize: 0 });
  stderr.write(question);
  try {
    return await new Promise((resolve, reject) => {
      const cancel = () => reject(new CliError('Cancelled', exitCodes.interrupted));
      prompt.once('line', resolve);
      prompt.once('SIGINT', cancel);
      prompt.once('close', cancel);
    });
  } finally {
    prompt.close();
    stderr.write('\n');
  }
}

const maximumBytes = 8_192;

async function readLine(stdin: AsyncIterable<Buffer>): Promise<string> {
  let bytes: Buffer = Buffer.alloc(0);
  for await (const piece of stdin) {
    bytes = Buffer.concat([bytes, piece]);
    // Leaving the loop closes standard input, so that the process can exit.
    if (bytes.includes('\n') || bytes.length > maximumBytes) break;
  }
  return bytes.toString('utf8').split('\n', 1)[0]?.replace(/\r$/, '') ?? '';
}
