import { z } from 'zod/v3';
import { baseUrlRule, webAddressRule, withoutTrailingSlashes } from './base-url.js';
import { postgresqlHosts } from './postgresql-hosts.js';

/*
 * Types of values of environment variables. Each parses a string. Its description states the valid values: it ends the error
 * message of a variable, and is a column of the documentation.
 *
 * The API of Zod 3, which Zod 4 contains, because it starts in 14 ms of CPU time and 1.1 MB. Ajv takes 71 ms and 3.1 MB, Zod 4
 * 68 ms and 4.7 MB, and env-schema with TypeBox 153 ms and 6.7 MB, for a schema with 30 variables on Node.js 20.
 */

export const text = (valid: string) => z.string().describe(valid);

export const boolean = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .describe('`true` or `false`');

export const oneOf = <Value extends string>(values: readonly [Value, ...Value[]]) =>
  z.enum(values).describe(`one of ${values.map((value) => `\`${value}\``).join(', ')}`);

export const integerVariable = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum)
    .describe(`a whole number from ${minimum} to ${maximum}`);

export const seconds = (minimum: number, maximum: number) =>
  integerVariable(minimum, maximum).describe(`a number of seconds from ${minimum} to ${maximum}`);

/** A limit, where 0 is no limit. */
export const limit = (maximum: number) =>
  integerVariable(0, maximum).describe(`a whole number from 0 to ${maximum}; \`0\` is no limit`);

export const secret = z.string().min(32).describe('at least 32 characters');

export const clientId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,255}$/)
  .describe('a client id, with 1 to 255 letters, digits, `-` and `_`');

const webAddressForm = 'an `http://` or `https://` URL without a user name or a fragment';

export const webAddress = z
  .string()
  .refine((value) => webAddressRule(value) === undefined)
  .describe(webAddressForm);

/** It is a line of `security.txt`, which has no other schemes for the web. */
export const securityContact = z
  .string()
  .refine((value) => /^(https:\/\/|mailto:)[!-~]+$/.test(value) && URL.canParse(value))
  .describe('an `https://` or `mailto:` URL');

/** It is written into pages, feeds and JSON, whose special characters it must not have. */
export const urlPrefix = webAddress
  .refine((value) => /^[\w:/.~%[\]-]+$/.test(value))
  .transform(withoutTrailingSlashes)
  .describe(`${webAddressForm}, and with letters, digits and \`-._~%\` only in its path`);

export const baseUrl = z
  .string()
  .refine((value) => baseUrlRule(value) === undefined)
  .transform(withoutTrailingSlashes)
  .describe('an `http://` or `https://` URL of a host without a path, such as `https://api.example.com`');

export const postgresqlUrl = z
  .string()
  .refine((value) => postgresqlHosts(value) !== undefined)
  .describe(
    'a URL that starts with `postgres://` or `postgresql://`, with a percent-encoded user name and password; with several hosts, its `target_session_attrs` must be `read-write` or `primary`',
  );

const items = z.string().transform((list) =>
  list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

export const postgresqlUrls = items
  .pipe(z.array(z.string().refine((url) => postgresqlHosts(url) !== undefined)))
  .describe(
    'URLs that start with `postgres://` or `postgresql://`, with a percent-encoded user name and password, separated by commas',
  );

export const redisUrl = z
  .string()
  .refine((value) => isServerUrl(value, { protocol: /^rediss?:$/, path: /^(\/\d*)?$/ }))
  .describe(
    'a `redis://` or `rediss://` URL of a host, optionally with a port, a percent-encoded user and password, and a database number',
  );

export const smtpUrl = z
  .string()
  .refine((value) => isServerUrl(value, { protocol: /^smtps?:$/, path: /^\/?$/ }))
  .describe(
    'an `smtp://` or `smtps://` URL of a host, optionally with a port and a percent-encoded user and password',
  );

export const mailAddress = z
  .string()
  .regex(/^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/u)
  .describe('an e-mail address');

export const networks = items
  .pipe(z.array(z.string().ip().or(z.string().cidr())))
  .describe('IP addresses and networks such as `10.0.0.0/8`, separated by commas');

function isServerUrl(value: string, { protocol, path }: { protocol: RegExp; path: RegExp }): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  if (!protocol.test(url.protocol) || url.hostname === '') return false;
  if (!path.test(url.pathname) || url.search !== '' || url.hash !== '') return false;
  try {
    decodeURIComponent(`${url.username}:${url.password}`);
    return true;
  } catch {
    return false;
  }
}
