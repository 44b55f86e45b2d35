import type { Command } from 'commander';
import { resealSigningKeys } from '../../oauth/reseal-keys.js';
import { SigningKeys } from '../../oauth/signing-keys.js';
import type { CommandProcess } from '../command-process.js';
import { withContext } from '../context.js';
import { print } from '../print.js';

/** `keys rotate` and `keys reseal` */
export function addKeyCommands(program: Command, commandProcess: CommandProcess): void {
  const keys = program.command('keys').description('the keys that sign access tokens');
  keys
    .command('rotate')
    .description('sign with a new key; the old one stays published until its last token has expired')
    .option('--discard-old', 'refuse every token that was signed with an earlier key, which may have leaked')
    .action(({ discardOld = false }: { discardOld?: boolean }) =>
      withContext(commandProcess, async ({ config, services, clock, appSecrets }) => {
        const signingKeys = await SigningKeys.open(services.signingKeys, await appSecrets(), clock);
        const kid = await signingKeys.rotate(
          discardOld ? 'discard' : { tokenTtlSeconds: config.accessTokenTtlSeconds },
        );
        print(
          commandProcess,
          `Tokens are signed with key ${kid} from now on; running servers take it over within a minute.`,
        );
      }),
    );
  keys
    .command('reseal')
    .description('encrypt the stored keys with APP_SECRET that were encrypted with APP_SECRET_PREVIOUS')
    .action(() =>
      withContext(commandProcess, async ({ services, clock, appSecrets }) => {
        const count = await resealSigningKeys(services.signingKeys, await appSecrets(), clock());
        const keys = count === 1 ? '1 signing key was' : `${count} signing keys were`;
        print(commandProcess, `${keys} encrypted again with APP_SECRET.`);
      }),
    );
}
