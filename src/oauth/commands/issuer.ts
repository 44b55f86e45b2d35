import type { Command } from 'commander';
import { checkedBy } from '../../platform/cli/arguments.js';
import { type CommandProcess, withContext } from '../../platform/cli/context.js';
import { print } from '../../platform/cli/print.js';
import { baseUrlRule, withoutTrailingSlashes } from '../../platform/config/base-url.js';
import { violation } from '../../platform/problems/rule-texts.js';
import { readIssuer, setIssuer } from '../recorded-issuer.js';

/** `issuer show` and `issuer set` */
export function addIssuerCommands(program: Command, commandProcess: CommandProcess): void {
  const issuer = program.command('issuer').description('manage the issuer of access tokens');
  issuer
    .command('show')
    .description('show the recorded issuer, which every server must have as BASE_URL')
    .action(() =>
      withContext(commandProcess, async ({ database }) => {
        const recorded = await readIssuer(database.prisma);
        print(
          commandProcess,
          recorded ?? 'No issuer is recorded yet. The server records its BASE_URL when it first starts.',
        );
      }),
    );
  issuer
    .command('set')
    .description('change the recorded issuer; access tokens of the previous issuer are then rejected')
    .argument(
      '<url>',
      'the new BASE_URL',
      checkedBy((url) => {
        const rule = baseUrlRule(url);
        return rule && violation(rule);
      }),
    )
    .addHelpText('after', '\nExamples:\n  npm run cli -- issuer set https://people.example')
    .action((given: string) =>
      withContext(commandProcess, async ({ database, clock }) => {
        const url = withoutTrailingSlashes(given);
        const earlier = await setIssuer(database, url, clock());
        print(commandProcess, describeChange(earlier, url));
      }),
    );
}

function describeChange(earlier: string | null, url: string): string {
  if (earlier === url) return `The issuer is already ${url}.`;
  if (earlier === null) return `The issuer is ${url}.`;
  return `The issuer is now ${url}. Restart every server with this BASE_URL: access tokens issued by ${earlier} are then rejected.`;
}
