import type { Command } from 'commander';
import { resealAuthenticatorApps } from '../features/second-factors/authenticator-apps.js';
import { resealProviderSecrets } from '../features/single-sign-on/provider-secrets.js';
import { resealWebhookSecrets } from '../features/webhooks/webhook-secrets.js';
import { resealSigningKeys, SigningKeys } from '../oauth/keys/signing-keys.js';
import { type CommandProcess, withContext } from '../platform/cli/context.js';
import { print } from '../platform/cli/print.js';
import { counted } from '../platform/counted.js';

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
        const apps = await resealAuthenticatorApps(database, secrets);
        print(commandProcess, `Re-encrypted ${counted(apps, 'secret')} of authenticator apps.`);
        const providers = await resealProviderSecrets(database, secrets, clock());
        print(commandProcess, `Re-encrypted ${counted(providers, 'secret')} of identity providers.`);
        const endpoints = await resealWebhookSecrets(database, secrets, clock());
        print(commandProcess, `Re-encrypted the secrets of ${counted(endpoints, 'webhook endpoint')}.`);
      }),
    );
}
