import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import {
  type Contract,
  type Operation,
  type ProblemCode,
  resolve,
} from '../../../src/platform/contract/contract.js';
import { type Recorded, recordExchange } from './exchange-log.js';

/** The response of a server, as `inject` and the socket helper both return it. */
export interface Response {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export interface Request {
  readonly method: string;
  /** Names are in lower case. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  /** Request target with its query. */
  readonly url: string;
}

interface ResponseObject {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: AnySchemaObject }>>;
}

interface Checker {
  readonly status: number;
  readonly headers: ReadonlyMap<string, ValidateFunction>;
  readonly bodies: ReadonlyMap<string, ValidateFunction>;
}

const address = /^([\w\-.~!$&'()*+,;=:@/]|%[\da-f]{2})*$/i;

const requestId = /^[A-Za-z0-9._-]{1,128}$/;

/** What a contract declares, compiled on first use. Compiling takes longer than most tests. */
class Declared {
  static readonly #known = new WeakMap<Contract, Declared>();

  static in(contract: Contract): Declared {
    const declared = Declared.#known.get(contract) ?? new Declared(contract);
    Declared.#known.set(contract, declared);
    return declared;
  }

  readonly validProblem: ValidateFunction;
  readonly #contract: Contract;
  readonly #bodies: Ajv2020;
  readonly #headers: Ajv2020;
  readonly #checkers = new Map<string, Checker | undefined>();
  readonly #paths: readonly { operation: Operation; pattern: RegExp }[];

  private constructor(contract: Contract) {
    this.#contract = contract;
    const closed = closeObjects(contract.document);
    this.#bodies = createAjv(closed);
    this.#headers = createAjv(closed, { coerceTypes: true });
    this.validProblem = this.#bodies.compile(reference('components', 'schemas', 'Problem'));
    // A path without a placeholder has precedence over a template that matches it.
    this.#paths = [...contract.operations.values()]
      .map((operation) => ({ operation, pattern: patternOf(operation.path) }))
      .sort((a, b) => Number(a.operation.path.includes('{')) - Number(b.operation.path.includes('{')));
  }

  /** The operation that a request is for; a HEAD request is for that of GET. */
  operationOf({ method, url }: Request): Operation | undefined {
    const sought = method.toUpperCase() === 'HEAD' ? 'GET' : method.toUpperCase();
    const path = pathOf(url);
    return this.#paths.find(({ operation, pattern }) => operation.method === sought && pattern.test(path))
      ?.operation;
  }

  checkerFor(id: string, status: number): Checker | undefined {
    const key = `${id} ${status}`;
    if (!this.#checkers.has(key)) this.#checkers.set(key, this.#compile(id, status));
    return this.#checkers.get(key);
  }

  #compile(id: string, status: number): Checker | undefined {
    const operation = this.#contract.operations.get(id as Operation['id']);
    const { document } = this.#contract;
    const item = document.paths[operation?.path ?? '']?.[operation?.method.toLowerCase() ?? ''];
    const declared = (item as { responses: Record<string, unknown> }).responses[String(status)];
    if (declared === undefined) return undefined;
    const { headers = {}, content = {} } = resolve<ResponseObject>(document, declared);
    return {
      status,
      headers: new Map(
        Object.entries(headers).map(([name, header]) => {
          const { schema } = resolve<{ schema: AnySchemaObject }>(document, header);
          const properties = { value: schema };
          return [name.toLowerCase(), this.#headers.compile({ type: 'object', properties })];
        }),
      ),
      bodies: new Map(
        Object.entries(content).map(([mediaType, { schema }]) => [
          mediaType,
          this.#bodies.compile({
            ...absolute(schema),
            ...(isText(mediaType) ? {} : { unevaluatedProperties: false }),
          }),
        ]),
      ),
    };
  }
}

/** Headers of HTTP itself, of every response over HTTPS, and of operations that a test has deprecated. */
const unspecificHeaders: readonly string[] = [
  ...['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'],
  ...['strict-transport-security', 'deprecation', 'sunset', 'dpop-nonce'],
];

/** Headers of limits that a test may switch off, of an overload, and of a challenge for the way in which a client authenticates. */
const conditionalHeaders: readonly string[] = [
  ...['ratelimit', 'ratelimit-policy', 'retry-after', 'www-authenticate', 'dpop-nonce'],
];

/** Compares responses with what the contract declares for them. */
export class Conformance {
  readonly #contract: Contract;
  readonly #declared: Declared;
  readonly #errorsUrl: string;
  readonly #recorded: boolean;

  /** @param recorded whether checked responses count for the report on the coverage of the contract */
  constructor(contract: Contract, errorsUrl: string, { recorded = true }: { recorded?: boolean } = {}) {
    this.#contract = contract;
    this.#recorded = recorded;
    this.#declared = Declared.in(contract);
    this.#errorsUrl = errorsUrl;
  }

  /** The operation that a request is for; a HEAD request is for that of GET. */
  operationOf(request: Request): Operation | undefined {
    return this.#declared.operationOf(request);
  }

  /** Differences between a response and the contract; empty if there are none. */
  faults(request: Request, response: Response): string[] {
    const operation = this.#declared.operationOf(request);
    const withBody = request.method.toUpperCase() !== 'HEAD';
    const found = [...this.#requestIdFaults(response)];
    if (operation !== undefined) found.push(...this.#operationFaults(operation, response, withBody));
    // Errors of the Model Context Protocol are not problem documents.
    const isMessage = pathOf(request.url) === '/mcp' && mediaTypeOf(response) === 'application/json';
    if (response.statusCode >= 400 && withBody && mediaTypeOf(response) !== 'text/html' && !isMessage) {
      found.push(...this.#problemFaults(request, response, operation));
    }
    const subject = `${request.method} ${request.url.slice(0, 200)} -> ${response.statusCode}`;
    return found.map((fault) => `${subject} (${operation?.id ?? 'no operation'}): ${fault}`);
  }

  /** @throws {Error} that lists the differences of a response. */
  check(request: Request, response: Response): void {
    if (this.#recorded) recordExchange(toRecord(request, response, this.operationOf(request)));
    const faults = this.faults(request, response);
    if (faults.length > 0) {
      throw new Error(`The contract does not allow this response: ${faults.join('; ')}\n${response.body}`);
    }
  }

  *#requestIdFaults({ headers }: Response): Iterable<string> {
    if (!requestId.test(String(headers['x-request-id'] ?? ''))) yield 'there is no X-Request-Id';
  }

  *#operationFaults({ id }: Operation, response: Response, withBody: boolean): Iterable<string> {
    const checker = this.#declared.checkerFor(id, response.statusCode);
    if (checker === undefined) {
      yield `status ${response.statusCode} is not declared`;
      return;
    }
    for (const [name, validate] of checker.headers) {
      const value = response.headers[name];
      if (value === undefined) {
        const isExempt = isPage(id) || conditionalHeaders.includes(name);
        if (!isExempt) yield `header ${name} is missing`;
      } else if (!validate({ value })) yield `header ${name}: ${messages(validate)}`;
    }
    // Pages have headers for browsers only.
    const others = isPage(id) ? [] : Object.keys(response.headers);
    for (const name of others) {
      if (!checker.headers.has(name) && !unspecificHeaders.includes(name))
        yield `header ${name} is not declared`;
    }
    if (checker.bodies.size === 0) {
      if (response.body !== '') yield 'a body is not declared';
      return;
    }
    const mediaType = mediaTypeOf(response);
    const validate = checker.bodies.get(mediaType);
    if (validate === undefined) yield `media type ${mediaType} is not declared`;
    else if (withBody && !validate(parseBody(mediaType, response.body))) yield messages(validate);
  }

  *#problemFaults(request: Request, response: Response, operation: Operation | undefined): Iterable<string> {
    const mediaType = mediaTypeOf(response);
    if (mediaType !== 'application/problem+json' && mediaType !== 'application/json') {
      yield `an error has the media type ${mediaType}`;
      return;
    }
    const problem = parseBody(mediaType, response.body) as Record<string, unknown>;
    // The body of an operation was compared with its own schema, which may have more members.
    const { validProblem } = this.#declared;
    if (operation === undefined && !validProblem(problem)) {
      yield `not a problem document: ${messages(validProblem)}`;
      return;
    }
    const code = problem?.code as ProblemCode;
    const kind = this.#contract.problems[code];
    if (kind === undefined) {
      yield `the code ${code} is not in the catalogue`;
      return;
    }
    const status = 'error' in problem ? (kind.oauth_status ?? kind.status) : kind.status;
    const expected = {
      type: `${this.#errorsUrl}/${code.replaceAll('_', '-')}`,
      title: kind.title,
      status,
      // The server encodes characters that a URI must not contain.
      ...(address.test(pathOf(request.url)) && { instance: pathOf(request.url) }),
      request_id: response.headers['x-request-id'],
    };
    for (const [name, value] of Object.entries(expected)) {
      if (problem[name] !== value) yield `${name} is ${problem[name]} instead of ${value}`;
    }
    const { detail, errors = [] } = problem as { detail: string; errors?: { detail: string }[] };
    for (const text of [detail, ...errors.map((error) => error.detail)]) {
      // Without the name of its parameter a sentence would start with a space.
      if (!/^\S/.test(text)) yield `the detail "${text}" is not a sentence`;
    }
    if (status !== response.statusCode) yield `${code} belongs to status ${status}`;
    const retry = response.headers['retry-after'];
    if ((code === 'service_unavailable' || code === 'rate_limit_exceeded') && retry === undefined) {
      yield 'there is no Retry-After';
    }
    if (response.headers['cache-control'] !== 'no-store') yield 'the rejection may be cached';
  }
}

function toRecord(request: Request, response: Response, operation: Operation | undefined): Recorded {
  const mediaType = response.body === '' ? '' : mediaTypeOf(response);
  const problem =
    mediaType.endsWith('json') && response.statusCode >= 400 ? parseBody(mediaType, response.body) : {};
  const { code, errors = [] } = (problem ?? {}) as { code?: string; errors?: Record<string, string>[] };
  // The target of a hostile client may not be a URL.
  const [, query = ''] = request.url.split('?', 2);
  const searchParams = new URLSearchParams(query);
  return {
    operation: operation?.id,
    status: response.statusCode,
    mediaType,
    code,
    sent: [
      ...new Set([...[...searchParams.keys()].map(declaredName), ...Object.keys(request.headers ?? {})]),
    ].sort(),
    rejected: errors
      .map(({ parameter, header }) => declaredName(parameter ?? header ?? ''))
      .filter((name) => name !== ''),
  };
}

/** The parameter of the contract that has a parameter of a request: the filters of custom attributes are one object. */
function declaredName(name: string): string {
  return name.startsWith('filter[custom.') ? 'filter' : name;
}

function createAjv(document: object, options: { coerceTypes?: boolean } = {}): Ajv2020 {
  const ajv = new Ajv2020({ ...options, strict: false, allErrors: true, validateSchema: false });
  ajvFormats.default(ajv);
  ajv.addSchema({ ...document, $id: 'contract' });
  return ajv;
}

/** Unknown members of a response are errors, even if the schema allows them for later versions. */
function closeObjects(document: Contract['document']): object {
  const copy = structuredClone(document);
  for (const [name, schema] of Object.entries(copy.components.schemas)) {
    // OAuthProblem includes Problem, which therefore cannot be closed itself.
    if (name !== 'Problem') close(schema);
  }
  return copy;
}

/** A part of a composition stays open, because the other parts have members as well. The composition is closed. */
function close(node: unknown, isPart = false): void {
  if (typeof node !== 'object' || node === null) return;
  const schema = node as Record<string, unknown>;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'allOf') for (const part of value as unknown[]) close(part, true);
    else if (keyword !== 'x-problems') close(value);
  }
  const isObject = schema.type === 'object' || 'allOf' in schema;
  if (isObject && !isPart && !('additionalProperties' in schema)) schema.unevaluatedProperties = false;
}

function reference(...path: readonly string[]): AnySchemaObject {
  return { $ref: `contract#/${path.join('/')}`, unevaluatedProperties: false };
}

function absolute(schema: AnySchemaObject): AnySchemaObject {
  return typeof schema.$ref === 'string' ? { ...schema, $ref: `contract${schema.$ref}` } : schema;
}

function patternOf(template: string): RegExp {
  const source = template.split(/\{[^}]*\}/).map((part) => part.replaceAll(/[.]/g, '\\.'));
  return new RegExp(`^${source.join('[^/]+')}$`);
}

function pathOf(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

function mediaTypeOf({ headers }: Response): string {
  return (
    String(headers['content-type'] ?? '')
      .split(';', 1)[0]
      ?.trim() ?? ''
  );
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/');
}

function parseBody(mediaType: string, body: string): unknown {
  if (isText(mediaType)) return body;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function messages({ errors }: ValidateFunction): string {
  return (errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`.trim()).join(', ');
}

function isPage(id: string): boolean {
  return id === 'authorize' || id === 'getLogout';
}
