import {
  type Contract,
  isRequired,
  type JsonSchema,
  type Operation,
  type ProblemCode,
  resolve,
} from '../../../src/platform/contract/contract.js';
import { shownName } from '../../../src/platform/contract/object-parameters.js';
import type {
  DescribedContent,
  DescribedError,
  DescribedParameter,
  DescribedResponse,
  Description,
} from './description.js';
import type { DocumentLinks } from './links.js';
import {
  type DocumentedBody,
  type DocumentedOperation,
  type DocumentedParameter,
  type DocumentedResponse,
  type Example,
  type MediaType,
  parametersOf,
  rawOperation,
} from './nodes.js';
import { SchemaTexts } from './schemas.js';

/** Describes how to call one operation. */
export function describeOperation(
  contract: Contract,
  operation: Operation,
  links: DocumentLinks,
): Description {
  const raw = rawOperation(contract, operation);
  const parameters = parametersOf(contract, operation);
  return new Describer(contract, links).describe({ ...raw, parameters });
}

/** Describes a request that the server sends. */
export function describeWebhook(
  contract: Contract,
  webhook: DocumentedOperation,
  links: DocumentLinks,
): Description {
  return new Describer(contract, links).describe(webhook);
}

/** Describes the parts of one operation, and collects the schemas that they name. */
class Describer {
  readonly #contract: Contract;
  readonly #links: DocumentLinks;
  readonly #schemas: SchemaTexts;

  constructor(contract: Contract, links: DocumentLinks) {
    this.#contract = contract;
    this.#links = links;
    this.#schemas = new SchemaTexts(contract.document, links);
  }

  describe(raw: DocumentedOperation): Description {
    const responses = Object.entries(raw.responses);
    return {
      title: raw.summary,
      text: this.#links.rewriteLinks(raw.description ?? ''),
      chapter: raw.tags[0],
      deprecatedSince: raw.deprecated === true ? raw['x-deprecated-since'] : undefined,
      parameters: (raw.parameters ?? []).map((given) => this.#parameter(given)),
      body: raw.requestBody === undefined ? undefined : this.#body(raw.requestBody),
      successes: responses.filter(([status]) => !isError(status)).map((entry) => this.#success(...entry)),
      errors: responses.filter(([status]) => isError(status)).map((entry) => this.#error(...entry)),
      // Last, because the other parts name the schemas.
      schemas: this.#schemas.described(),
    };
  }

  #parameter(given: unknown): DescribedParameter {
    const parameter = this.#at<DocumentedParameter>(given);
    const { schema, description, example } = parameter;
    const type = this.#schemas.type(schema);
    return {
      name: shownName(parameter),
      place: parameter.in,
      required: isRequired(parameter),
      type,
      text: this.#links.rewriteLinks(description),
      example,
    };
  }

  #body(given: unknown): Description['body'] {
    const { description = '', required = false, content } = this.#at<DocumentedBody>(given);
    return { required, text: this.#links.rewriteLinks(description), contents: this.#contents(content) };
  }

  #success(status: string, given: unknown): DescribedResponse {
    const { description, headers = {}, content = {} } = this.#at<DocumentedResponse>(given);
    const described = Object.entries(headers).map(([name, header]) => {
      const { schema, description } = this.#at<{ schema: JsonSchema; description: string }>(header);
      return { name, type: this.#schemas.type(schema), text: this.#links.rewriteLinks(description) };
    });
    return {
      ...{ status, text: this.#links.rewriteLinks(description) },
      ...{ headers: described, contents: this.#contents(content) },
    };
  }

  #error(status: string, given: unknown): DescribedError {
    const { description, content = {} } = this.#at<DocumentedResponse>(given);
    return { status, text: this.#links.rewriteLinks(description), codes: this.#codes(content) };
  }

  #contents(content: Readonly<Record<string, MediaType>>): DescribedContent[] {
    return Object.entries(content).map(([mediaType, { schema, examples = {} }]) => ({
      mediaType,
      type: this.#schemas.type(schema),
      examples: Object.values(examples).map((given) => {
        const { summary = 'Example', value } = this.#at<Example>(given);
        const source = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
        return { title: summary, source };
      }),
    }));
  }

  /** The codes of the examples. */
  #codes(content: Readonly<Record<string, MediaType>>): ProblemCode[] {
    const values = Object.values(content)
      .flatMap(({ examples = {} }) => Object.values(examples))
      .map((given) => this.#at<Example>(given).value as { code?: ProblemCode } | string);
    return [...new Set(values.flatMap((value) => (typeof value === 'string' ? [] : (value.code ?? []))))];
  }

  #at<Node>(node: unknown): Node {
    return resolve<Node>(this.#contract.document, node);
  }
}

function isError(status: string): boolean {
  return /^[45]/.test(status);
}
