import { z } from 'zod/v3';
import { variables } from './variables.js';

/** Invalid or missing environment variables; the message has one line for each, which names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Variables = typeof variables;

/** The values of all variables, with their defaults. */
export type Environment = { readonly [Name in keyof Variables]: z.output<Variables[Name]['schema']> };

const schema = z.object(
  Object.fromEntries(Object.entries(variables).map(([name, variable]) => [name, variable.schema])),
);

/**
 * Reads the values of environment variables. An empty variable counts as unset.
 *
 * @throws {ConfigError} naming every variable with an invalid value, and its valid values. Values are not repeated: some of
 *   them are secrets.
 */
export function readEnvironment(environment: NodeJS.ProcessEnv): Environment {
  const given = Object.entries(environment).filter(([, value]) => value !== '');
  const { data, error } = schema.safeParse(Object.fromEntries(given));
  if (error === undefined) return data as Environment;
  const names = new Set(error.issues.map(({ path: [name] }) => name as keyof Variables));
  throw new ConfigError([...names].map(describeError).join('\n'));
}

function describeError(name: keyof Variables): string {
  return `${name} must be ${variables[name].schema.description?.replaceAll('`', '')}`;
}
