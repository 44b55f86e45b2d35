import type { Command } from 'commander';
import { resealSigningKeys } from '../../oauth/reseal-keys.js';
import { SigningKeys } from '../../oauth/signing-keys.js';
import type { CommandProcess } from '../command-process.js';
import { withContext } from '../context.js';
import { print } from '../print.js';

/** `keys rotate` and `keys reseal` */
export function addKeyCommands(program: Command, commandProcess: CommandProcess): void {
  const keys = program.command('keys').description('manage the signing keys of access tokens');
  keys
    .command('rotate')
    .description('create a new signing key; the old one is published until its last token has expired')
    .option(
      '--discard-old',
      'reject all tokens that were signed with an earlier key, for a key that may have leaked',
    )
    .action(({ discardOld = false }: { discardOld?: boolean }) =>
      withContext(commandProcess, async ({ config, services, clock, appSecrets }) => {
        const signingKeys = await SigningKeys.open(services.signingKeys, await appSecrets(), clock);
        const kid = await signingKeys.rotate(
          discardOld ? 'discard' : { tokenTtlSeconds: config.accessTokenTtlSeconds },
        );
        print(commandProcess, `Created signing key ${kid}. Running servers use it within a minute.`);
      }),
    );
  keys
    .command('reseal')
    .description('re-encrypt stored keys from APP_SECRET_PREVIOUS to APP_SECRET')
    .action(() =>
      withContext(commandProcess, async ({ services, clock, appSecrets }) => {
        const count = await resealSigningKeys(services.signingKeys, await appSecrets(), clock());
        const keys = count === 1 ? '1 signing key' : `${count} signing keys`;
        print(commandProcess, `Re-encrypted ${keys} with APP_SECRET.`);
      }),
    );
}
