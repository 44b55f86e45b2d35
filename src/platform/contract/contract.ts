import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { dayMilliseconds } from '../clock.js';
import { packageRoot } from '../package-root.js';
import type { components, operations } from './generated.js';
import type { ProblemCode } from './generated-values.js';
import { memberIn } from './json-pointer.js';

/** The parts of the parsed OpenAPI document that the server reads. */
export interface ContractDocument {
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly [{ readonly url: string }];
  readonly 'x-limits': { readonly deprecation_notice_days: number; readonly [name: string]: number };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly webhooks?: Readonly<Record<string, unknown>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: {
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
    readonly headers: { readonly RequestId: { readonly example: string } };
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: {
      readonly oauth2: {
        readonly flows: { readonly clientCredentials: { readonly scopes: Readonly<Record<string, string>> } };
      };
    };
  };
}

export interface RawOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly deprecated?: boolean;
  /** Whether tokens without a user are rejected. */
  readonly 'x-user-required'?: boolean;
  readonly 'x-deprecated-since'?: string;
  readonly 'x-sunset'?: string;
  readonly 'x-server'?: Readonly<Record<string, unknown>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  /** Name of the parameter with which this one may be omitted. Without it, this one is required. */
  readonly 'x-required-unless'?: string;
  readonly style?: string;
  /** Names of the members of an object, with `<key>` for a key. */
  readonly 'x-member-name'?: string;
  readonly schema: JsonSchema;
}

/** Whether a parameter is required: always, or unless the request has another one. */
export function isRequired(parameter: Pick<Parameter, 'required' | 'x-required-unless'>): boolean {
  return parameter.required === true || parameter['x-required-unless'] !== undefined;
}

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly [keyword: string]: unknown;
}

/** Whether values of a schema can be integers. */
export function isInteger(schema: JsonSchema | undefined): boolean {
  return [schema?.type].flat().includes('integer');
}

/** Whether a parameter may be repeated, each time with one of its values. */
export function isRepeatable({ schema }: Pick<Parameter, 'schema'>): boolean {
  return [schema, ...((schema.oneOf ?? []) as readonly JsonSchema[])].some(({ type }) => type === 'array');
}

/** Groups operations: the methods of each path template, in the order of the contract. */
export function methodsByPath(operations: Iterable<Operation>): Map<string, string[]> {
  const grouped = new Map<string, string[]>();
  for (const { method, path } of operations) {
    const methods = grouped.get(path);
    if (methods === undefined) grouped.set(path, [method]);
    else methods.push(method);
  }
  return grouped;
}

interface DeprecationHeaders {
  /** Date of the deprecation, as `@` and seconds since 1970. @see RFC 9745 section 2.1 */
  readonly deprecation: string;
  /** Date of the removal, as an HTTP date. @see RFC 8594 section 3 */
  readonly sunset: string;
}

/**
 * Reads `deprecated`, `x-deprecated-since` and `x-sunset` (dates such as 2027-01-31) of an operation; `null` when the
 * operation is not deprecated.
 *
 * @param noticeDays minimum number of days between the two dates
 * @throws {Error} when a deprecated operation lacks one of the dates, or its notice is too short
 */
export function readDeprecation(operation: RawOperation, noticeDays: number): DeprecationHeaders | null {
  if (operation.deprecated !== true) return null;
  const since = Date.parse(operation['x-deprecated-since'] ?? '');
  const sunset = Date.parse(operation['x-sunset'] ?? '');
  if (!(sunset - since >= noticeDays * dayMilliseconds)) {
    throw new Error(
      `${operation.operationId} is deprecated: its x-sunset must be ${noticeDays} days or more after its x-deprecated-since`,
    );
  }
  return { deprecation: `@${since / 1000}`, sunset: new Date(sunset).toUTCString() };
}

/** Operations of the server. The other one is a request that the server sends. */
export type OperationId = Exclude<keyof operations, 'receiveEvents'>;
export type { ProblemCode, PublicOperation, ScopeName } from './generated-values.js';

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly description: string;
  readonly causes: readonly string[];
  readonly resolution: string;
  /** Error code of OAuth 2.0, for errors of the token and revocation endpoints. */
  readonly oauth_error?: components['schemas']['OAuthProblem']['error'];
  /** Status at the endpoints of the authorization server, where it differs. */
  readonly oauth_status?: number;
  /** Example, for errors without an example in an operation. */
  readonly example?: { readonly detail: string; readonly instance: string };
}

/**
 * How the server processes an operation: the member `x-server` of the contract, which is not published. docs/contract.md
 * describes it.
 */
interface Processing {
  /**
   * What a request counts for in the rate limit: the application of the token, the authenticated client, the address, or
   * the address in this process only.
   */
  readonly rateLimit: 'application' | 'client' | 'ip' | 'ip_in_process';
  /** Whether it is queued while the server handles its maximum number of requests. */
  readonly queued: boolean;
  /** Whether scripts of any origin may call it. */
  readonly cors: boolean;
  /** Whether its handler sets the scope of row-level security itself. */
  readonly setsScope: boolean;
  /** A parameter whose repeated values are joined with a space: the operation rejects them with an error of its own. */
  readonly joined: string | undefined;
}

/** Properties of an operation that are not in its compiled schemas. */
export interface Operation extends Processing {
  readonly id: OperationId;
  /** What it does, such as "List employees". */
  readonly summary: string;
  readonly method: string;
  readonly path: string;
  /** Scopes that a bearer token must have; `null` for operations without a token. */
  readonly scopes: readonly string[] | null;
  /** Sets of scopes of which a token may have one instead. */
  readonly otherScopes: readonly (readonly string[])[];
  readonly queryParameters: ReadonlyMap<string, Parameter>;
  readonly body: { readonly required: boolean; readonly mediaTypes: readonly string[] } | null;
  readonly responses: ReadonlyMap<number, readonly string[]>;
  /** `null` when the operation is not deprecated. */
  readonly deprecation: DeprecationHeaders | null;
}

export interface Contract {
  /** The parsed document. Consumers that change it must clone it first. */
  readonly document: ContractDocument;
  readonly operations: ReadonlyMap<OperationId, Operation>;
  readonly problems: Readonly<Record<ProblemCode, ProblemKind>>;
  readonly scopes: Readonly<Record<string, string>>;
}

/** @throws {Error} when the contract does not have the operation */
export function operationOf({ operations }: Pick<Contract, 'operations'>, id: OperationId): Operation {
  const operation = operations.get(id);
  if (operation === undefined) throw new Error(`The contract has no operation ${id}`);
  return operation;
}

/** Identifies this API in catalogues, independent of its URL. */
export const apiId = '5f0d3a86-9c1e-4e0b-8a57-2b6d41c7f9e3';

const methods = ['get', 'post', 'put', 'patch', 'delete'];

export const contractFile = path.join(packageRoot, 'openapi', 'v1.yaml');

/** The project is not built. */
export class NotBuiltError extends Error {
  override readonly name = 'NotBuiltError';
}

/** The contract as the build has parsed it. */
const documentFile = path.join(packageRoot, 'dist', 'docs', 'v1.json');

/**
 * Reads the contract of the build from disk.
 *
 * @throws {NotBuiltError}
 */
export function loadContract(): Contract {
  if (!existsSync(documentFile))
    throw new NotBuiltError(`${documentFile} does not exist: run "npm run build"`);
  return createContract(JSON.parse(readFileSync(documentFile, 'utf8')));
}

/**
 * @throws {Error} when an operation has no security, or one that is not OAuth 2.0, or an invalid `x-server`, or a reference
 *   has no target
 */
export function createContract(document: ContractDocument): Contract {
  return {
    document,
    operations: readOperations(document),
    problems: document.components.schemas.ProblemCode?.['x-problems'] as Contract['problems'],
    scopes: document.components.securitySchemes.oauth2.flows.clientCredentials.scopes,
  };
}

function readOperations(document: ContractDocument): Map<OperationId, Operation> {
  const found = new Map<OperationId, Operation>();
  for (const [pathTemplate, item] of Object.entries(document.paths)) {
    for (const method of methods) {
      const raw = item[method] as RawOperation | undefined;
      if (raw === undefined) continue;
      const id = raw.operationId as OperationId;
      const { scopes, otherScopes } = readScopes(raw);
      found.set(id, {
        summary: raw.summary ?? id,
        id,
        method: method.toUpperCase(),
        path: pathTemplate,
        scopes,
        otherScopes,
        ...readProcessing(raw, scopes),
        queryParameters: readQueryParameters(document, raw, item),
        body: readBody(document, raw.requestBody),
        responses: readResponses(document, raw.responses),
        deprecation: readDeprecation(raw, document['x-limits'].deprecation_notice_days),
      });
    }
  }
  return found;
}

function readScopes({ operationId, security }: RawOperation): Pick<Operation, 'scopes' | 'otherScopes'> {
  if (security === undefined) throw new Error(`${operationId} does not state its security`);
  const [scopes = null, ...otherScopes] = security.map(({ oauth2, ...others }) => {
    if (oauth2 === undefined || Object.keys(others).length > 0)
      throw new Error(`${operationId} must state oauth2 requirements only, or none`);
    return oauth2;
  });
  return { scopes, otherScopes };
}

const processingValues: Readonly<Record<string, readonly unknown[]>> = {
  rate_limit: ['client', 'ip', 'ip_in_process'],
  queued: [true, false],
  cors: [true, false],
  sets_scope: [true, false],
  joined: ['resource'],
};

function readProcessing(
  { operationId, 'x-server': members = {} }: RawOperation,
  scopes: Operation['scopes'],
): Processing {
  for (const [name, value] of Object.entries(members)) {
    if (processingValues[name]?.includes(value)) continue;
    throw new Error(`${operationId} has an unknown x-server: ${name}: ${JSON.stringify(value)}`);
  }
  const { rate_limit = 'application', queued = true, cors = true, sets_scope = false, joined } = members;
  if ((scopes === null) === (rate_limit === 'application')) {
    throw new Error(`${operationId} must state rate_limit in x-server if it needs no token, and only then`);
  }
  return { rateLimit: rate_limit, queued, cors, setsScope: sets_scope, joined } as Processing;
}

function readQueryParameters(
  document: ContractDocument,
  operation: RawOperation,
  item: Readonly<Record<string, unknown>>,
): Map<string, Parameter> {
  const shared = (item.parameters ?? []) as readonly unknown[];
  return new Map(
    [...shared, ...(operation.parameters ?? [])]
      .map((parameter) => resolve<Parameter>(document, parameter))
      .filter((parameter) => parameter.in === 'query')
      .map((parameter) => [
        parameter.name,
        { ...parameter, schema: resolve<JsonSchema>(document, parameter.schema) },
      ]),
  );
}

function readBody(document: ContractDocument, body: unknown): Operation['body'] {
  if (body === undefined) return null;
  const { required = false, content } = resolve<{ required?: boolean; content: object }>(document, body);
  return { required, mediaTypes: Object.keys(content) };
}

function readResponses(
  document: ContractDocument,
  responses: RawOperation['responses'],
): Operation['responses'] {
  return new Map(
    Object.entries(responses).map(([status, response]) => {
      const { content = {} } = resolve<{ content?: object }>(document, response);
      return [Number(status), Object.keys(content)];
    }),
  );
}

/** Resolves local `$ref`s, also nested ones. */
export function resolve<T>(document: object, node: unknown): T {
  const reference = (node as { $ref?: string } | null)?.$ref;
  if (reference === undefined) return node as T;
  const target = reference
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (parent, key) => (parent as Record<string, unknown> | undefined)?.[memberIn(key)],
      document,
    );
  if (target === undefined) throw new Error(`The contract refers to ${reference}, which does not exist`);
  return resolve<T>(document, target);
}
