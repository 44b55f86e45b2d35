import { InvalidArgumentError, Option } from 'commander';
import type { Accounts } from '../accounts/accounts.js';
import { NewUserError } from '../accounts/new-user.js';
import { roles } from '../accounts/user.js';
import { type Check, sentence, violation } from '../problems/rule-texts.js';
import { CliError } from './cli-error.js';

/** Option for the account. */
export function accountOption(): Option {
  return new Option('--account <id>', 'id of the account, or its name if that is unique');
}

/** Option for JSON output. */
export function jsonOption(): Option {
  return new Option('--json', 'print JSON');
}

/** Option for the role of a user. */
export function roleOption(): Option {
  return new Option(
    '--role <role>',
    'owners and administrators register applications and grant all scopes',
  ).choices(roles);
}

/** Parser for an argument with a rule. */
export function checkedBy(check: Check): (value: string) => string {
  return (value) => {
    const error = check(value);
    if (error !== undefined) throw new InvalidArgumentError(sentence('It', error));
    return value;
  };
}

/** Parser for an integer between two bounds. */
export function integerBetween(minimum: number, maximum: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d{1,10}$/.test(value) && number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(sentence('It', violation('integer_range', { minimum, maximum })));
  };
}

/**
 * The account with this id or name.
 *
 * @throws {CliError} when the account is unknown, or several accounts have this name
 */
export async function findAccount(
  accounts: Accounts,
  idOrName: string,
): Promise<Awaited<ReturnType<Accounts['find']>>[number]> {
  const [account, ...others] = await accounts.find(idOrName);
  if (account === undefined) throw new CliError(`Unknown account ${idOrName}; see: accounts list`);
  if (others.length > 0) {
    throw new CliError(`${others.length + 1} accounts are named ${idOrName}; use the id: see accounts list`);
  }
  return account;
}

/** Rethrows a {@link NewUserError} as {@link CliError}. */
export function asCliError(error: unknown): never {
  throw error instanceof NewUserError ? new CliError(error.message) : error;
}
