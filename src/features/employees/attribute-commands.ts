import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AccountId } from '../../platform/accounts/account-id.js';
import { accountOption, findAccount, jsonOption } from '../../platform/cli/arguments.js';
import { CliError } from '../../platform/cli/cli-error.js';
import { type CommandProcess, withContext } from '../../platform/cli/context.js';
import { print, printList, sanitizeForTerminal } from '../../platform/cli/print.js';
import { CustomAttributeChanges } from './custom-attribute-changes.js';
import { CustomAttributePurge } from './custom-attribute-purge.js';
import { type AttributeError, type AttributeSettings, suggestKey } from './custom-attribute-rules.js';
import { customTypes, readCustomAttributes } from './custom-attributes.js';

interface SettingOptions {
  readonly label?: string;
  readonly description?: string;
  readonly choices?: readonly string[];
  readonly required?: boolean;
  readonly sensitive?: boolean;
}

interface AddOptions extends SettingOptions {
  readonly account: string;
  readonly label: string;
  readonly type: string;
  readonly key?: string;
}

function mandatoryAccount(): Option {
  return accountOption().makeOptionMandatory();
}

function choicesOption(): Option {
  return new Option(
    '--choices <names>',
    'the choices of the types choice and choices, separated by semicolons',
  ).argParser((names: string) =>
    names
      .split(';')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );
}

function yesOrNoOption(flag: string, description: string): Option {
  return new Option(`${flag} <yes|no>`, description).argParser((value) => {
    if (value === 'yes' || value === 'no') return value === 'yes';
    throw new InvalidArgumentError('Use yes or no.');
  });
}

function addSettingOptions(command: Command): Command {
  return command
    .option('--description <text>', 'shown below the field in forms; an empty text removes it')
    .addOption(choicesOption())
    .addOption(
      yesOrNoOption('--required', 'whether an employee who is added, edited or imported must have a value'),
    )
    .addOption(
      yesOrNoOption('--sensitive', 'whether only owners and administrators see the values on pages'),
    );
}

function settingsOf({
  label,
  description,
  choices,
  required,
  sensitive,
}: SettingOptions): Partial<AttributeSettings> {
  return {
    ...(label !== undefined && { label }),
    ...(description !== undefined && { description }),
    ...(choices !== undefined && { choices }),
    ...(required !== undefined && { required }),
    ...(sensitive !== undefined && { sensitive }),
  };
}

interface Found {
  readonly context: { readonly accountId: AccountId; readonly at: Date };
  /** For the terminal. */
  readonly accountName: string;
  readonly changes: CustomAttributeChanges;
  readonly purge: CustomAttributePurge;
}

/** Prints the result of work on the attributes of the account that the option names. */
async function withAttributes(
  commandProcess: CommandProcess,
  account: string,
  work: (found: Found) => Promise<string>,
): Promise<void> {
  await withContext(commandProcess, async ({ database, accounts, clock }) => {
    const { id: accountId, name } = await findAccount(accounts, account);
    const result = await work({
      context: { accountId, at: clock() },
      accountName: sanitizeForTerminal(name),
      changes: new CustomAttributeChanges(database),
      purge: new CustomAttributePurge({ database, clock }),
    });
    print(commandProcess, result);
  });
}

function invalid(errors: readonly AttributeError[]): CliError {
  return new CliError(sanitizeForTerminal(errors.map(({ message }) => message).join(' '), 2_000));
}

/** The error of an attribute that the account does not have, or that can no longer be changed. */
function rejectedChange(kind: 'not_found' | 'purging', key: string, { accountName }: Found): CliError {
  const name = sanitizeForTerminal(key);
  return kind === 'not_found'
    ? new CliError(`${accountName} has no attribute with the key ${name}; see: employee-attributes list`)
    : new CliError(`The attribute ${name} is being deleted`);
}

function addListCommand(attributes: Command, commandProcess: CommandProcess): void {
  attributes
    .command('list')
    .description('list the attributes that an account has added to its employees')
    .addOption(mandatoryAccount())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  npm run cli -- employee-attributes list --account Initech
  npm run --silent cli -- employee-attributes list --account Initech --json`,
    )
    .action((options: { account: string; json?: boolean }) =>
      withContext(commandProcess, async ({ database, accounts }) => {
        const { id: accountId } = await findAccount(accounts, options.account);
        const rows = (await readCustomAttributes(database.prisma, accountId)).map((attribute) => ({
          key: attribute.key,
          label: attribute.label,
          type: attribute.type,
          description: attribute.description,
          choices: attribute.choices,
          required: attribute.required,
          sensitive: attribute.sensitive,
          archived_at: attribute.archivedAt?.toISOString() ?? null,
          purge_requested_at: attribute.purgeRequestedAt?.toISOString() ?? null,
        }));
        const columns = [
          'key',
          'label',
          'type',
          'required',
          'sensitive',
          'archived_at',
          'purge_requested_at',
        ];
        printList(commandProcess, columns, rows, options);
      }),
    );
}

function addAddCommand(attributes: Command, commandProcess: CommandProcess): void {
  const command = attributes
    .command('add')
    .description('add an attribute to the employees of an account')
    .addOption(mandatoryAccount())
    .requiredOption('--label <text>', 'name for users')
    .addOption(new Option('--type <type>', 'type of the values').choices(customTypes).makeOptionMandatory())
    .option('--key <key>', 'name in the API and in imports; default: made from the label');
  addSettingOptions(command)
    .addHelpText(
      'after',
      `
Key and type cannot be changed later. Applications cannot read the attribute until it is chosen for them.

Examples:
  npm run cli -- employee-attributes add --account Initech --label 'Cost center' --type text
  npm run cli -- employee-attributes add --account Initech --label 'T-shirt' --type choice --choices 'S;M;L' --required yes`,
    )
    .action(({ account, label, type, key, ...given }: AddOptions) =>
      withAttributes(commandProcess, account, async ({ changes, context, accountName }) => {
        const settings = { description: null, choices: [], required: false, sensitive: false };
        const attribute = {
          ...settings,
          ...settingsOf(given),
          label,
          type,
          key: key ?? suggestKey(label.trim()),
        };
        const outcome = await changes.create(context, attribute);
        if (outcome.kind === 'invalid') throw invalid(outcome.errors);
        if (outcome.kind === 'limit_reached')
          throw new CliError(
            `${accountName} has ${outcome.limit} attributes, the most that an account can have`,
          );
        return `Added the attribute ${outcome.attribute.key}.`;
      }),
    );
}

function addSetCommand(attributes: Command, commandProcess: CommandProcess): void {
  const command = attributes
    .command('set')
    .description('change the settings of an attribute; those without an option are kept')
    .argument('<key>', 'the key of the attribute')
    .addOption(mandatoryAccount())
    .option('--label <text>', 'name for users');
  addSettingOptions(command)
    .addHelpText(
      'after',
      `
The choices replace the earlier ones. Employees keep a choice that is removed until their value is changed.

Examples:
  npm run cli -- employee-attributes set t_shirt --account Initech --choices 'S;M;L;XL' --required no`,
    )
    .action((key: string, { account, ...given }: SettingOptions & { account: string }) =>
      withAttributes(commandProcess, account, async (found) => {
        const outcome = await found.changes.update(found.context, { key, changes: settingsOf(given) });
        switch (outcome.kind) {
          case 'invalid':
            throw invalid(outcome.errors);
          case 'updated':
            return `Changed the attribute ${key}.`;
          case 'unchanged':
            return `The attribute ${key} has these settings already; nothing was changed.`;
          case 'conflict':
            throw new Error('An update without expected settings has a conflict');
          default:
            throw rejectedChange(outcome.kind, key, found);
        }
      }),
    );
}

/** A command that needs only the key of an attribute. */
interface StateCommand {
  readonly description: string;
  readonly note: string;
  readonly change: (found: Found, key: string) => Promise<string>;
}

const stateCommands: Readonly<Record<string, StateCommand>> = {
  archive: {
    description: 'archive an attribute: its values are kept, and neither shown nor changed',
    note: 'Running servers apply it with the next request.',
    async change(found, key) {
      const { kind } = await found.changes.archive(found.context, key);
      if (kind === 'not_found' || kind === 'purging') throw rejectedChange(kind, key, found);
      return kind === 'changed'
        ? `Archived the attribute ${key}.`
        : `The attribute ${key} is already archived.`;
    },
  },
  restore: {
    description: 'restore an archived attribute with its values',
    note: 'Applications that it was chosen for can read it again.',
    async change(found, key) {
      const { kind } = await found.changes.restore(found.context, key);
      if (kind === 'not_found' || kind === 'purging') throw rejectedChange(kind, key, found);
      return kind === 'changed' ? `Restored the attribute ${key}.` : `The attribute ${key} is not archived.`;
    },
  },
  purge: {
    description: 'delete an archived attribute permanently, with the values of all employees',
    note: 'The values are also deleted from events, the audit log, imports and the filters of reports. A report that filters by the attribute\ncannot run until it is edited. A file that is not imported yet is stored until its import ends, or for 24 hours after its last step.\nThis cannot be undone. When the command is interrupted, the server or the same command continues it.',
    async change(found, key) {
      const { context, changes, purge } = found;
      const { kind } = await changes.requestPurge(context, key);
      if (kind === 'not_found') throw rejectedChange(kind, key, found);
      if (kind === 'not_archived')
        throw new CliError(`Archive the attribute ${key} first: employee-attributes archive ${key}`);
      await purge.purge(context.accountId, key);
      return `Deleted the attribute ${key} with its values.`;
    },
  },
};

/** `employee-attributes list`, `add`, `set`, `archive`, `restore` and `purge` */
export function addAttributeCommands(program: Command, commandProcess: CommandProcess): void {
  const attributes = program
    .command('employee-attributes')
    .description('manage the attributes that accounts add to their employees');
  addListCommand(attributes, commandProcess);
  addAddCommand(attributes, commandProcess);
  addSetCommand(attributes, commandProcess);
  for (const [name, { description, note, change }] of Object.entries(stateCommands)) {
    attributes
      .command(name)
      .description(description)
      .argument('<key>', 'the key of the attribute')
      .addOption(mandatoryAccount())
      .addHelpText(
        'after',
        `
${note}

Examples:
  npm run cli -- employee-attributes ${name} cost_center --account Initech`,
      )
      .action((key: string, { account }: { account: string }) =>
        withAttributes(commandProcess, account, (found) => change(found, key)),
      );
  }
}
