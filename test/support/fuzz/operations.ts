import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { parse } from 'yaml';
import { contractFile } from '../../../src/platform/contract/contract.js';

/** The keywords of a schema of the contract that `schemaValues` uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly style?: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

/** An operation of the contract, as a source of random requests. */
export interface FuzzedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** `null` if no token is required. */
  readonly scopes: readonly string[] | null;
  readonly parameters: readonly Parameter[];
  readonly body:
    | {
        readonly mediaType: string;
        readonly schema: Schema;
        readonly accepts: (value: unknown) => boolean;
      }
    | undefined;
}

export type Resolve = (schema: Schema) => Schema;

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** Reads the operations from the contract file, independently of the code that serves them. */
export function readOperations(): { operations: FuzzedOperation[]; resolve: Resolve } {
  const document = parse(readFileSync(contractFile, 'utf8'));
  const resolve = (node?: { $ref?: string }) => (node?.$ref === undefined ? node : at(document, node.$ref));
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  ajvFormats.default(ajv);
  ajv.addSchema({ ...document, $id: 'contract' });
  const operations: FuzzedOperation[] = [];
  for (const [template, { parameters: shared = [], ...item }] of Object.entries<PathItem>(document.paths)) {
    for (const [method, operation] of Object.entries(item as Record<string, Operation>)) {
      if (!methods.includes(method)) continue;
      const parameters = [...shared, ...(operation.parameters ?? [])];
      const requestBody = resolve(operation.requestBody) as RequestBody | undefined;
      const [content] = Object.entries(requestBody?.content ?? {});
      const [requirement] = (operation.security ?? document.security) as NonNullable<Operation['security']>;
      operations.push({
        id: operation.operationId,
        method: method.toUpperCase(),
        path: template,
        scopes: requirement === undefined ? null : (Object.values(requirement)[0] ?? []),
        parameters: parameters.map((parameter) => resolve(parameter) as Parameter),
        body: content && {
          mediaType: content[0],
          schema: content[1].schema,
          accepts: ajv.compile({ $ref: `contract${content[1].schema.$ref}` }) as (value: unknown) => boolean,
        },
      });
    }
  }
  return { operations, resolve: resolve as Resolve };
}

/** The other members are operations by method. */
interface PathItem {
  readonly parameters?: readonly object[];
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

interface RequestBody {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

function at(document: unknown, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (node, key) => (node as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );
}
