import type { ProblemItemCode } from '../contract/generated-values.js';

/** Names for the values and members in a sentence. */
export interface Words {
  /** A value or a member, such as `group_by`. */
  readonly name: (name: string) => string;
  /** The valid values, after "must be". */
  readonly oneOf: (names: readonly string[]) => string;
  /** An item of an array, and several. */
  readonly item: readonly [string, string];
}

const wordsOfApi: Words = {
  name: (name) => name,
  oneOf: (names) => `one of ${names.join(', ')}`,
  item: ['item', 'items'],
};

interface Rule<Params> {
  readonly code: ProblemItemCode;
  readonly text: (params: Params, words: Words) => string;
}

type Text<Params> = string | Rule<Params>['text'];

function rule<Params = object>(code: ProblemItemCode, text: Text<Params>): Rule<Params> {
  return { code, text: typeof text === 'string' ? () => text : text };
}

interface Range {
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
}

interface Values {
  readonly values: readonly string[];
}

interface Length extends Range {
  /** What is counted. Default: characters. */
  readonly of?: 'character' | 'item' | 'member';
}

/**
 * Every rule of a value, by name: the code of its error, and the text that follows the name of the value. The API, imports, the
 * command line and most forms take the sentences of validation errors from here. `x-rule` in the contract has these names.
 */
const rules = {
  required: rule('required', 'is required'),
  required_scope: rule(
    'required',
    'is required: the user is asked for these scopes only. Send the scopes that you need, separated by spaces, such as user:read reports:read',
  ),
  required_state: rule(
    'required',
    'is required: it protects the user against CSRF. Send a new unguessable value in each request, and compare it with the one that comes back',
  ),
  required_pushed_request: rule(
    'required',
    'is required: the application must push its authorization requests to /v1/oauth/par',
  ),
  required_with_post_logout_redirect_uri: rule(
    'required',
    'is required with post_logout_redirect_uri, unless id_token_hint is sent',
  ),
  required_name: rule('required', 'or last name is required'),
  not_blank: rule('required', 'must not be blank'),
  known_member: rule('unknown', ({ values }: Values) => `is unknown; valid members are ${values.join(', ')}`),
  known_parameter: rule('unknown', ({ values }: Values) =>
    values.length === 0
      ? 'is an unknown query parameter; this operation has none'
      : `is an unknown query parameter; valid parameters are ${values.join(', ')}`,
  ),
  known_argument: rule('unknown', ({ values }: Values) =>
    values.length === 0
      ? 'is an unknown argument; this tool has none'
      : `is an unknown argument; valid arguments are ${values.join(', ')}`,
  ),

  type: rule('type', ({ types, ...range }: { types: readonly string[] } & Range) => {
    const names = types.map((type) => (type === 'integer' ? integer(range) : (typeNames[type] ?? type)));
    return `must be ${names.join(' or ')}`;
  }),
  argument_type: rule('type', 'must be a string, a number or a boolean'),
  history_date: rule(
    'out_of_range',
    ({ oldest, latest }: { oldest: string; latest: string }) =>
      `must be a date from ${oldest}, from which changes are kept, to ${latest}, which is today in UTC`,
  ),
  integer_range: rule('out_of_range', (range: Range) => `must be ${integer(range)}`),
  minimum_length: rule('too_short', length),
  maximum_length: rule('too_long', length),
  maximum_bytes: rule('too_long', ({ maximum }: Range) => `must have at most ${maximum} bytes of UTF-8`),

  one_of: rule(
    'not_allowed',
    ({ values }: Values, { name, oneOf }) =>
      `must be ${values.length === 1 ? name(values[0] ?? '') : oneOf(values)}`,
  ),
  some_of: rule(
    'not_allowed',
    ({ values }: Values) => `must be one or more of ${values.join(', ')}, separated by semicolons`,
  ),
  without_removed_choices: rule(
    'not_allowed',
    ({ values }: Values) =>
      `must not have ${values.join(', ')}, which ${values.length === 1 ? 'is no longer a choice' : 'are no longer choices'}`,
  ),
  yes_or_no: rule('not_allowed', 'must be yes or no'),
  discriminator: rule('not_allowed', ({ values }: Values, { oneOf }) => `must be ${oneOf(values)}`),
  consent_decision: rule('not_allowed', 'must be allow, allow_selected or deny'),
  prompt: rule(
    'not_allowed',
    'must be none, or one or more of login, consent and select_account, separated by spaces',
  ),
  prompt_of_document: rule(
    'not_allowed',
    'must not be none for an application with a metadata document, unless a user is signed in whose account has approved it',
  ),
  excel_or_absent: rule('not_allowed', 'must be excel, xlsx or absent'),
  not_repeated: rule('not_allowed', 'must not be repeated'),
  registered_redirect_uri: rule(
    'not_allowed',
    'must be exactly one of the redirect URIs registered for the application',
  ),
  registered_post_logout_redirect_uri: rule(
    'not_allowed',
    'must be exactly one of the sign-out redirect URIs registered for the application',
  ),
  issued_id_token: rule('not_allowed', 'must be an ID token of this server whose key is still published'),
  audience_of_hint: rule('not_allowed', 'must be the application that id_token_hint was issued to'),
  known_application: rule('not_allowed', 'must be of a known application'),
  account_cursor: rule('not_allowed', 'must be a cursor of this account'),
  list_cursor: rule(
    'not_allowed',
    'must be sent to the list, and with the filters and the order, that it was issued for',
  ),
  readable_attribute: rule(
    'not_allowed',
    ({ attribute }: { attribute: string }) => `must not use ${attribute}, which the application may not read`,
  ),
  readable_report: rule(
    'not_allowed',
    ({ attribute }: { attribute: string }) =>
      `must be a report that does not need ${attribute}, which the application may not read`,
  ),
  usable_report: rule(
    'not_allowed',
    ({ attribute }: { attribute: string }) =>
      `must be a report whose filters, order and groups suit the type of ${attribute}, which has changed`,
  ),
  custom_column: rule('not_allowed', 'must be custom. and the key of a custom attribute'),
  report_cursor: rule('not_allowed', 'must be sent to the report as it was when the cursor was issued'),

  valid: rule('format', 'is not valid'),
  valid_because: rule('format', ({ reason }: { reason: string }) => `is not valid: ${reason}`),
  storable_text: rule('format', 'must be valid Unicode without NUL characters'),
  utf_8: rule('format', 'must be valid UTF-8'),
  plain_text: rule('format', 'must be text without control characters'),
  jwk_thumbprint: rule('format', 'must be the SHA-256 thumbprint of a JSON Web Key, 43 base64url characters'),
  printable_ascii: rule('format', 'must be printable ASCII characters'),
  name_text: rule(
    'format',
    'must not contain control or invisible characters, nor begin or end with white space',
  ),
  visible_text: rule('format', 'must have visible characters only'),
  page_cursor: rule('format', 'must be an unchanged cursor from meta.next_cursor'),
  sort_keys: rule(
    'format',
    ({ values }: Values) => `must be attributes to order by, separated by commas: ${values.join(', ')}`,
  ),
  comma_list: rule(
    'format',
    ({ values, characters }: { values: number; characters: number }) =>
      `must be 1 to ${values} values of 1 to ${characters} characters, separated by commas`,
  ),
  search_text: rule('format', 'must have a character other than white space and commas'),
  event_types: rule('format', 'must be 1 to 20 types, such as employee.created'),
  entity_tags: rule('format', 'must be * or entity tags separated by commas'),
  state: rule('format', 'must be 1 to 2,048 bytes of UTF-8 without NUL characters'),
  code_challenge: rule('format', 'must be base64url-encoded without padding, which is 43 characters'),
  code_verifier: rule('format', 'must be 43 to 128 unreserved characters of a URI (RFC 3986 section 2)'),

  date: rule(
    'format',
    ({ from, to }: { from: string; to: string }) => `must be a date from ${from} to ${to}`,
  ),
  decimal_number: rule(
    'format',
    'must be a number such as 1234.5, with at most 11 digits before the decimal point and 4 after it',
  ),
  existing_date: rule('format', 'must be an existing date from 0001-01-01 to 9999-12-31, such as 2026-01-31'),
  range_filter: rule(
    'not_allowed',
    ({ parameter }: { parameter: string }) =>
      `must be omitted, because only numbers and dates have ranges; valid is ${parameter}`,
  ),
  no_filter: rule('not_allowed', 'must be omitted, because long texts cannot be filtered'),
  filter_date: rule(
    'format',
    'must be an RFC 3339 date, YYYY-MM-DD, or a relative date such as today, -90d or start_of_month',
  ),
  filter_timestamp: rule(
    'format',
    'must be an RFC 3339 date-time with a time zone, or a relative date such as today, -90d or start_of_month',
  ),
  timestamp: rule(
    'format',
    'must be an RFC 3339 date-time with a time zone, in a year from 1900 to 9999 and without a leap second',
  ),
  existing_timestamp: rule('format', 'must be an existing date and time, such as 2026-01-31T00:00:00Z'),
  time: rule('format', 'must be a time such as 2026-11-01T00:00:00Z'),

  email_address: rule('format', 'must be an e-mail address'),
  email_form: rule(
    'format',
    ({ maximum }: Range) => `must have the form name@example.com, and at most ${maximum} characters`,
  ),
  email_characters: rule('format', 'must not contain invisible or full-width characters'),
  email_domain: rule('format', 'must have a valid domain'),
  mailbox: rule('format', 'must not contain quotes or brackets, and must have a valid domain'),
  domain: rule('format', 'must be a domain, such as example.com'),
  password_strength: rule('not_allowed', 'must not be easy to guess'),
  https_url: rule('format', 'must be an https URL with a host and no credentials'),
  language_tag: rule('format', 'must be a BCP 47 language tag such as en or de-CH'),
  time_zone: rule('format', 'must be a time zone of the IANA database such as Europe/Zurich'),
  phone_number: rule('format', 'must be a telephone number with its country code such as +41445550123'),

  web_url: rule('format', 'must be an http:// or https:// URL'),
  base_url: rule('format', 'must be a scheme and a host without a path, such as https://api.example.com'),
  webhook_url: rule('format', ({ allowLocal }: { allowLocal: boolean }) =>
    allowLocal ? 'must be an https:// URL, or http://localhost in development' : 'must be an https:// URL',
  ),
  url_without_user: rule('not_allowed', 'must not contain a user name or a password'),
  url_without_fragment: rule('not_allowed', 'must not contain a fragment'),
  webhook_port: rule('not_allowed', ({ minimum }: Range) => `must have the port 443, or one from ${minimum}`),
  public_host: rule('not_allowed', 'must have a host with public addresses only'),
  url: rule('format', 'must be a URL'),
  https_scheme: rule('not_allowed', 'must start with https://'),
  issuer_url: rule('not_allowed', 'must not have a user name, a query or a fragment'),
  single_issuer: rule(
    'not_allowed',
    'must be that of one organization: enter its tenant ID in place of the braces',
  ),
  not_metadata_url: rule('not_allowed', 'must not be the address of the metadata'),

  without_columns: rule('conflict', 'must be omitted or empty when group_by has columns'),
  without_grouping: rule('conflict', 'must be omitted or empty when there are columns'),
  without_measures: rule('conflict', 'must be omitted or empty in a report without group_by'),
  grouped_sort: rule(
    'conflict',
    (_params, { name }) => `must be count, one of the columns in ${name('group_by')}, or one of the measures`,
  ),
  ungrouped_sort: rule(
    'conflict',
    ({ key }: { key: string }, { name }) =>
      `must not be ${name(key)} in a report without ${name('group_by')}`,
  ),
  text_operator: rule(
    'conflict',
    ({ operator, field }: { operator: string; field: string }, { name }) =>
      `must not be ${name(operator)} for ${name(field)}, which is not a text column`,
  ),
  operator_of: rule(
    'conflict',
    ({ field, operators }: { field: string; operators: readonly string[] }, { name, oneOf }) =>
      `must be ${oneOf(operators)} for ${name(field)}`,
  ),
  unsorted_type: rule(
    'conflict',
    ({ key }: { key: string }, { name }) =>
      `must not be ${name(key)}: reports are not sorted by long texts or several choices`,
  ),
  ungrouped_type: rule(
    'conflict',
    ({ key }: { key: string }, { name }) =>
      `must not be ${name(key)}: custom attributes of groups must be one choice, yes or no, or a date`,
  ),
  measured_type: rule(
    'conflict',
    ({ key }: { key: string }, { name }) =>
      `must not be ${name(key)}: sums and averages are of numbers, minimums and maximums of numbers or dates`,
  ),
  cursor_number: rule(
    'conflict',
    ({ number }: { number: number }) => `is the cursor of page[number] ${number}`,
  ),
  cursor_size: rule(
    'conflict',
    ({ size }: { size: number }) => `is the cursor of a page with page[size] ${size}`,
  ),
  not_with: rule('conflict', ({ other }: { other: string }) => `cannot be combined with ${other}`),
  either_or: rule('conflict', ({ other }: { other: string }) => `and ${other} must not be together`),
  secret_in_header: rule('conflict', 'must be omitted when the Authorization header has the secret'),
  attribute_key: rule(
    'format',
    'must have lower-case letters and digits, in words joined by underscores, and begin with a letter, such as cost_center',
  ),
  reserved: rule('not_allowed', 'is reserved'),
  used_by: rule('conflict', ({ label }: { label: string }) => `is already used by the attribute ${label}`),
  without_semicolons: rule('format', 'must not contain semicolons'),
  without_choices: rule('conflict', 'must be empty for this type'),
  not_before_hire_date: rule('conflict', 'must not be before the hire date'),
  one_authentication: rule('conflict', 'must be omitted when the request has a client_assertion'),
  assertion_type: rule('not_allowed', ({ type }: { type: string }) => `must be ${type}`),
  pushed_request: rule(
    'not_allowed',
    'is unknown, expired or already used, or was opened in another browser. Start again in the application',
  ),
  not_in_pushed_request: rule('not_allowed', 'must be omitted in a pushed authorization request'),
  same_client: rule('conflict', 'must be omitted, or equal to the one in the Authorization header'),

  one_host: rule(
    'not_allowed',
    ({ count }: { count: number }) => `must have exactly one Host header; this one has ${count}`,
  ),
  one_authorization: rule(
    'not_allowed',
    ({ count }: { count: number }) => `must have at most one Authorization header; this one has ${count}`,
  ),
  without_transfer_encoding: rule('not_allowed', 'must not have a Transfer-Encoding header'),

  json_object: rule('type', 'must be a JSON object'),
  maximum_depth: rule('type', ({ maximum }: Range) => `must be a JSON object with at most ${maximum} levels`),
  other_employee: rule('not_allowed', 'must be another employee'),
  known_manager_id: rule(
    'not_allowed',
    ({ value }: { value: string }) => `must be the id of an employee of the account: ${value}`,
  ),
  known_manager_number: rule(
    'not_allowed',
    ({ value }: { value: string }) => `must be the number of an employee of the account: ${value}`,
  ),
  known_employee: rule(
    'not_allowed',
    ({ value }: { value: string }) => `must be the number or the id of an employee of the account: ${value}`,
  ),
};

type RuleName = keyof typeof rules;

type ParamsOf<Name extends RuleName> = Parameters<(typeof rules)[Name]['text']>[0];

/** The rule that a value violates. `params` are what the rule allows, and what its text names. */
export interface Violation {
  readonly rule: RuleName;
  readonly params: object;
}

/** Validates a value. `undefined` when it is valid. */
export type Check = (value: string) => Violation | undefined;

/** A violation of a rule. The type of `params` is that of the rule. */
export function violation<Name extends RuleName>(
  name: Name,
  ...[params]: object extends ParamsOf<Name> ? [params?: ParamsOf<Name>] : [params: ParamsOf<Name>]
): Violation {
  return { rule: name, params: params ?? {} };
}

export function isRuleName(name: string): name is RuleName {
  return Object.hasOwn(rules, name);
}

export function codeOf({ rule }: Violation): ProblemItemCode {
  return rules[rule].code;
}

/** What the value must be, as text that follows its name. */
export function ruleText({ rule, params }: Violation, words: Words = wordsOfApi): string {
  return (rules[rule] as Rule<object>).text(params, words);
}

/** The error as a sentence about the subject. */
export function sentence(subject: string, violated: Violation, words?: Words): string {
  return `${subject} ${ruleText(violated, words)}.`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

/** For example "an integer from 1 to 500". */
function integer({ minimum, maximum }: Range): string {
  if (minimum === undefined) return maximum === undefined ? 'an integer' : `an integer up to ${maximum}`;
  return maximum === undefined ? `an integer from ${minimum}` : `an integer from ${minimum} to ${maximum}`;
}

const counted = { member: ['member', 'members'], character: ['character', 'characters'] } as const;

/** For example "must have 1 to 255 characters". */
function length({ minimum = 0, maximum, of = 'character' }: Length, { item }: Words): string {
  const [one, several] = of === 'item' ? item : counted[of];
  const things = (count: number) => `${count} ${count === 1 ? one : several}`;
  if (maximum === undefined) return `must have at least ${things(minimum)}`;
  if (minimum === maximum) return `must have exactly ${things(maximum)}`;
  return minimum === 0
    ? `must have at most ${things(maximum)}`
    : `must have ${minimum} to ${things(maximum)}`;
}
