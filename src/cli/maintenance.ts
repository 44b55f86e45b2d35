import type { Command } from 'commander';
import { resealAuthenticatorApps } from '../features/second-factors/authenticator-apps.js';
import { resealProviderSecrets } from '../features/single-sign-on/provider-secrets.js';
import { resealWebhookSecrets } from '../features/webhooks/webhook-secrets.js';
import { resealSigningKeys, SigningKeys } from '../oauth/keys/signing-keys.js';
import { readIssuer, setIssuer } from '../oauth/recorded-issuer.js';
import { checkedBy } from '../platform/cli/arguments.js';
import { CliError } from '../platform/cli/cli-error.js';
import { type CommandProcess, withContext } from '../platform/cli/context.js';
import { print } from '../platform/cli/print.js';
import { baseUrlRule, withoutTrailingSlashes } from '../platform/config/base-url.js';
import { counted } from '../platform/counted.js';
import { DistributionError, distribute } from '../platform/database/distribute.js';
import { violation } from '../platform/problems/rule-texts.js';
import { Housekeeping } from '../process/housekeeping.js';

/** `keys rotate` and `keys reseal` */
export function addKeyCommands(program: Command, commandProcess: CommandProcess): void {
  const keys = program.command('keys').description('manage the keys of stored secrets and of access tokens');
  keys
    .command('rotate')
    .description('create a new signing key; the old one is published until its last token has expired')
    .option(
      '--discard-old',
      'reject all tokens that were signed with an earlier key, for a key that may have leaked',
    )
    .action(({ discardOld = false }: { discardOld?: boolean }) =>
      withContext(commandProcess, async ({ config, database, clock, appSecrets }) => {
        const signingKeys = await SigningKeys.open(database, await appSecrets(), clock);
        const kid = await signingKeys.rotate(
          discardOld ? 'discard' : { tokenTtlSeconds: config.accessTokenTtlSeconds },
        );
        print(commandProcess, `Created signing key ${kid}. Running servers use it within a minute.`);
      }),
    );
  keys
    .command('reseal')
    .description('re-encrypt stored keys and secrets from APP_SECRET_PREVIOUS to APP_SECRET')
    .action(() =>
      withContext(commandProcess, async ({ database, clock, appSecrets }) => {
        const secrets = await appSecrets();
        const signingKeys = await resealSigningKeys(database, secrets, clock());
        print(commandProcess, `Re-encrypted ${counted(signingKeys, 'signing key')} with APP_SECRET.`);
        const apps = await resealAuthenticatorApps(database, secrets, clock());
        print(commandProcess, `Re-encrypted ${counted(apps, 'secret')} of authenticator apps.`);
        const providers = await resealProviderSecrets(database, secrets, clock());
        print(commandProcess, `Re-encrypted ${counted(providers, 'secret')} of identity providers.`);
        const endpoints = await resealWebhookSecrets(database, secrets, clock());
        print(commandProcess, `Re-encrypted the secrets of ${counted(endpoints, 'webhook endpoint')}.`);
      }),
    );
}

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

const outcomes = {
  distributed: 'distributed',
  already_distributed: 'already distributed',
  failed: 'not distributed',
} as const;

/** `migrate`, `distribute` and `prune` */
export function addMaintenanceCommands(program: Command, commandProcess: CommandProcess): void {
  program
    .command('migrate')
    .description('apply the migrations of the database; the server also does this when it starts')
    .action(() =>
      withContext(commandProcess, async () => print(commandProcess, 'The database is up to date.')),
    );

  program
    .command('distribute')
    .description('distribute account data over the workers of Citus; stop the server first')
    .action(() =>
      withContext(commandProcess, async ({ database }) => {
        const tables = await distribute(database).catch((error: unknown) => {
          throw error instanceof DistributionError ? new CliError(error.message) : error;
        });
        for (const { table, outcome, reason } of tables)
          print(commandProcess, `${table}: ${outcomes[outcome]}${reason === undefined ? '' : `: ${reason}`}`);
        if (tables.some(({ outcome }) => outcome === 'failed'))
          throw new CliError(
            'Not all tables are distributed. Run the command again after correcting the cause.',
          );
      }),
    );

  program
    .command('prune')
    .description('delete expired codes, tokens, sessions and records; the server also does this regularly')
    .action(() =>
      withContext(commandProcess, async ({ database, config, clock }) => {
        for (const [table, count] of Object.entries(await new Housekeeping(database, config).prune(clock())))
          print(commandProcess, `${table}: ${count}`);
      }),
    );
}
