import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation, OperationId, PublicOperation } from '../../contract/contract.js';
import type { operations } from '../../contract/generated.js';
import type { Principal } from '../principal.js';

type Parameters<Id extends OperationId> = operations[Id]['parameters'];
type Responses<Id extends OperationId> = operations[Id]['responses'];
type Present<T> = [Exclude<T, undefined>] extends [never] ? Record<never, never> : Exclude<T, undefined>;

type Body<Id extends OperationId> = operations[Id] extends { requestBody: { content: infer Content } }
  ? Content[keyof Content]
  : undefined;

type Caller<Id extends OperationId> = Id extends PublicOperation ? null : Principal;

/** Input of a handler. Parameters and body are validated and have the types of the contract. */
export interface Input<Id extends OperationId> {
  readonly params: Present<Parameters<Id>['path']>;
  readonly query: Present<Parameters<Id>['query']>;
  readonly body: Body<Id>;
  readonly caller: Caller<Id>;
  readonly operation: Operation;
  readonly request: FastifyRequest;
  /** For headers of rate limits, and to find out that the client disconnected. The handler returns status, headers and body. */
  readonly reply: FastifyReply;
}

declare const textOf: unique symbol;

/** A serialized JSON document, which is sent unchanged. */
export type JsonText<Document> = string & { readonly [textOf]: Document };

/** Serializes a document, for responses whose exact bytes matter. */
export function jsonText<Document>(document: Document): JsonText<Document> {
  return JSON.stringify(document) as JsonText<Document>;
}

type SuccessStatus = 200 | 201 | 202 | 204 | 302 | 303 | 304;

type Content<Response> = Response extends { content: infer Types }
  ? {
      [Type in keyof Types]: Type extends 'application/json'
        ? { body: Types[Type] | JsonText<Types[Type]>; type?: Type }
        : { body: Types[Type] | Readable; type: Type };
    }[keyof Types]
  : { body?: never; type?: never };

/**
 * Output of a handler: a status of the contract with the body that the contract declares for it. Errors are thrown as
 * `Problem`.
 */
export type Output<Id extends OperationId> = {
  [Status in Extract<keyof Responses<Id>, SuccessStatus>]: {
    status: Status;
    headers?: Record<string, string>;
    /** Number of resources that are returned or deleted, such as employees or events. Default: none. */
    records?: number;
  } & Content<Responses<Id>[Status]>;
}[Extract<keyof Responses<Id>, SuccessStatus>];

/**
 * One method for each operation. A class that serves a tag implements a `Pick` of this type,
 * so that the compiler rejects a parameter, body, status or reply that differs from the contract.
 */
export type Handlers = {
  [Id in OperationId]: (input: Input<Id>) => Promise<Output<Id>>;
};

type Merged<Parts extends readonly object[]> = Parts extends readonly [
  infer First,
  ...infer Rest extends object[],
]
  ? First & Merged<Rest>
  : unknown;

/** Merges the methods of several handler classes, each bound to its instance. */
export function mergeHandlers<Parts extends object[]>(...parts: Parts): Merged<Parts> {
  const merged: Record<string, unknown> = {};
  for (const part of parts) {
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(part))) {
      if (name === 'constructor') continue;
      if (name in merged) throw new Error(`Two handlers are named ${name}`);
      merged[name] = (part as Record<string, (...input: unknown[]) => unknown>)[name]?.bind(part);
    }
  }
  return merged as Merged<Parts>;
}
