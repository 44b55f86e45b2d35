import { InvalidArgumentError, Option } from 'commander';
import type { Accounts } from '../services/accounts.js';
import { roles } from '../services/user.js';
import type { Rule } from '../services/user-rules.js';
import { CliError } from './cli-error.js';

/** Option for the account that a command is about. */
export function accountOption(): Option {
  return new Option('--account <id>', 'the account: its id, or its name where only one has it');
}

/** Option for answers that scripts read. */
export function jsonOption(): Option {
  return new Option('--json', 'answer in JSON');
}

/** Option for the role of a user. */
export function roleOption(): Option {
  return new Option(
    '--role <role>',
    'owners and administrators register applications and give all scopes',
  ).choices(roles);
}

/** Parser for an argument that a rule applies to. */
export function checkedBy(rule: Rule): (value: string) => string {
  return (value) => {
    const fault = rule(value);
    if (fault !== undefined) throw new InvalidArgumentError(`It ${fault}.`);
    return value;
  };
}

/** Parser for a whole number between two bounds. */
export function wholeNumber(minimum: number, maximum: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d{1,10}$/.test(value) && number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
  };
}

/**
 * The account that an argument means.
 *
 * @throws {CliError} when there is none, or several have this name
 */
export async function findAccount(
  accounts: Accounts,
  idOrName: string,
): Promise<Awaited<ReturnType<Accounts['find']>>[number]> {
  const [account, ...others] = await accounts.find(idOrName);
  if (account === undefined) throw new CliError(`There is no account ${idOrName}; see: accounts list`);
  if (others.length > 0) {
    throw new CliError(
      `${others.length + 1} accounts are named ${idOrName}; give the id of one: see accounts list`,
    );
  }
  return account;
}
