import {
  type Contract,
  type JsonSchema,
  type Operation,
  type Parameter,
  type RawOperation,
  resolve,
} from '../../../src/platform/contract/contract.js';

/** The parts of the contract that only documents for readers need. */
export interface DocumentedOperation extends RawOperation {
  readonly tags: readonly [string];
  readonly summary: string;
}

export interface DocumentedParameter extends Parameter {
  readonly description: string;
  readonly example?: unknown;
}

export interface DocumentedBody {
  readonly description?: string;
  readonly required?: boolean;
  readonly content: Readonly<Record<string, MediaType>>;
}

export interface DocumentedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface MediaType {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, unknown>>;
}

export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

/** A chapter of the reference: a tag, with or without operations. */
export interface Chapter {
  readonly name: string;
  readonly description: string;
}

/** The operation as the contract describes it. */
export function rawOperation(
  { document }: Pick<Contract, 'document'>,
  { path, method }: Operation,
): DocumentedOperation {
  return document.paths[path]?.[method.toLowerCase()] as DocumentedOperation;
}

/** All parameters of the operation, including those of its path. */
export function parametersOf({ document }: Contract, operation: Operation): DocumentedParameter[] {
  const shared = (document.paths[operation.path]?.parameters ?? []) as readonly unknown[];
  const own = rawOperation({ document }, operation).parameters ?? [];
  return [...shared, ...own].map((given) => resolve<DocumentedParameter>(document, given));
}

/** The first media type of a request body, its first example, and the required members. */
export function exampleBody(
  { document }: Contract,
  given: unknown,
): { readonly mediaType: string; readonly value: unknown; readonly required: readonly string[] } {
  const { content } = resolve<DocumentedBody>(document, given);
  const [mediaType, { examples = {}, schema }] = Object.entries(content)[0] ?? ['', {}];
  const { value } = resolve<Example>(document, Object.values(examples)[0]);
  const { required = [] } = resolve<{ required?: readonly string[] }>(document, schema ?? {});
  return { mediaType, value, required };
}

/** The chapters in the order of the reference. */
export function chaptersOf({ document }: Contract): readonly Chapter[] {
  return document.tags;
}

/** The operations of a chapter. */
export function operationsOf(contract: Contract, { name }: Chapter): Operation[] {
  return [...contract.operations.values()].filter((operation) =>
    rawOperation(contract, operation).tags.includes(name),
  );
}

/** Requests that the server sends, by name. */
export function webhooksOf({ document }: Contract): [name: string, webhook: DocumentedOperation][] {
  const webhooks = (document.webhooks ?? {}) as Readonly<Record<string, { post: DocumentedOperation }>>;
  return Object.entries(webhooks).map(([name, { post }]) => [name, post]);
}

/** The webhooks of a chapter. */
export function webhooksIn(
  contract: Contract,
  { name }: Chapter,
): [name: string, webhook: DocumentedOperation][] {
  return webhooksOf(contract).filter(([, { tags }]) => tags.includes(name));
}

/** A name as a part of a URL. */
export function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}
