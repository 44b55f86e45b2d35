import type { Command } from 'commander';
import { accountOption, checkedBy, findAccount, jsonOption } from '../../platform/cli/arguments.js';
import { CliError } from '../../platform/cli/cli-error.js';
import { type CommandProcess, withContext } from '../../platform/cli/context.js';
import { print, printList, sanitizeForTerminal } from '../../platform/cli/print.js';
import { AccountDomains, domainRule } from './account-domains.js';
import { isPublicMailDomain } from './public-mail-domains.js';

/** `accounts domains`, `accounts confirm-domain` and `accounts remove-domain` */
export function addDomainCommands(accounts: Command, commandProcess: CommandProcess): void {
  accounts
    .command('domains')
    .description('list the confirmed domains of e-mail addresses')
    .addOption(accountOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  npm run cli -- accounts domains
  npm run --silent cli -- accounts domains --account Initech --json`,
    )
    .action((options: { account?: string; json?: boolean }) =>
      withContext(commandProcess, async ({ database, accounts }) => {
        const only = options.account === undefined ? undefined : await findAccount(accounts, options.account);
        const domains = await new AccountDomains(database).listAll();
        const rows = domains
          .filter(({ accountId }) => only === undefined || accountId === only.id)
          .map(({ domain, accountId, accountName, confirmedAt, method }) => {
            const account = { account: accountName, account_id: accountId };
            return { domain, ...account, confirmed_at: confirmedAt.toISOString(), method };
          });
        printList(commandProcess, ['domain', 'account', 'confirmed_at', 'method'], rows, options);
      }),
    );
  accounts
    .command('confirm-domain')
    .description('confirm that a domain of e-mail addresses belongs to the customer of an account')
    .argument('<domain>', 'domain in lower case and in ASCII form', checkedBy(domainRule))
    .addOption(accountOption().makeOptionMandatory())
    .addHelpText(
      'after',
      `
Users who sign in by single sign-on with a verified address of this domain become members of the account. Each domain
belongs to one account. Do not confirm the domain of a public mailbox provider; the widely used ones are rejected.

Examples:
  npm run cli -- accounts confirm-domain initech.example --account Initech`,
    )
    .action((domain: string, options: { account: string }) =>
      withContext(commandProcess, async ({ database, accounts, clock }) => {
        if (isPublicMailDomain(domain))
          throw new CliError(`${domain} is a public mailbox provider: anyone can get an address there`);
        const { id, name } = await findAccount(accounts, options.account);
        const { accountId } = await new AccountDomains(database).confirm(id, domain, clock());
        if (accountId !== id)
          throw new CliError(`${domain} is confirmed for account ${accountId}; see: accounts domains`);
        print(commandProcess, `Confirmed ${domain} for account ${id} (${sanitizeForTerminal(name)}).`);
      }),
    );
  accounts
    .command('remove-domain')
    .description('remove a confirmed domain; existing users are not changed')
    .argument('<domain>', 'domain in lower case and in ASCII form', checkedBy(domainRule))
    .addOption(accountOption().makeOptionMandatory())
    .addHelpText(
      'after',
      '\nExamples:\n  npm run cli -- accounts remove-domain initech.example --account Initech',
    )
    .action((domain: string, options: { account: string }) =>
      withContext(commandProcess, async ({ database, accounts, clock }) => {
        const { id, name } = await findAccount(accounts, options.account);
        if (!(await new AccountDomains(database).remove(id, domain, clock())))
          throw new CliError(`${domain} is not confirmed for this account; see: accounts domains`);
        print(commandProcess, `Removed ${domain} from account ${id} (${sanitizeForTerminal(name)}).`);
      }),
    );
}
