import { type Contract, type ProblemCode, resolve } from '../contract.js';
import type { JsonSchema } from '../document.js';
import type { DocumentLinks } from './links.js';
import type {
  DocumentedBody,
  DocumentedOperation,
  DocumentedParameter,
  DocumentedResponse,
  Example,
  MediaType,
} from './nodes.js';
import { SchemaTexts } from './schemas.js';
import { blocks, code, fenced, item, section } from './text.js';

/** Describes the parts of an operation, and collects the schemas that they name. */
export class OperationWriter {
  readonly #contract: Contract;
  readonly #links: DocumentLinks;
  readonly #schemas: SchemaTexts;

  constructor(contract: Contract, links: DocumentLinks) {
    this.#contract = contract;
    this.#links = links;
    this.#schemas = new SchemaTexts(contract.document, links);
  }

  parameters({ parameters = [] }: Pick<DocumentedOperation, 'parameters'>): string {
    const items = parameters.map((given) => {
      const {
        name,
        in: place,
        required,
        schema,
        description,
        example,
      } = this.#at<DocumentedParameter>(given);
      const presence = required === true ? 'required' : 'optional';
      const shown = example === undefined ? '' : ` Example: ${code(example)}.`;
      const type = this.#schemas.type(schema);
      return item(
        `${code(name)} (${place}; ${type}; ${presence}): ${this.#links.relink(description)}${shown}`,
      );
    });
    return section('## Parameters', items.join('\n'));
  }

  body({ requestBody }: DocumentedOperation): string {
    if (requestBody === undefined) return '';
    const { description = '', required, content } = this.#at<DocumentedBody>(requestBody);
    const presence = required === true ? 'Required.' : 'Optional.';
    return section('## Request body', `${presence} ${description}`.trim(), ...this.#content(content));
  }

  successes({ responses }: DocumentedOperation): string {
    return blocks(
      ...Object.entries(responses)
        .filter(([status]) => !isError(status))
        .map(([status, given]) => {
          const { description, headers = {}, content = {} } = this.#at<DocumentedResponse>(given);
          const items = Object.entries(headers).map(([name, header]) => this.#header(name, header));
          const listed = items.length === 0 ? '' : `Headers:\n\n${items.join('\n')}`;
          return section(
            `## Response ${status}`,
            this.#links.relink(description),
            listed,
            ...this.#content(content),
          );
        }),
    );
  }

  errors({ responses }: DocumentedOperation): string {
    const items = Object.entries(responses)
      .filter(([status]) => isError(status))
      .map(([status, given]) => {
        const { description, content = {} } = this.#at<DocumentedResponse>(given);
        const codes = this.#codes(content).map((found) => `[${code(found)}](${this.#links.error(found)})`);
        const listed = codes.length === 0 ? '' : ` Codes: ${codes.join(', ')}.`;
        return item(`**${status}**: ${this.#links.relink(description)}${listed}`);
      });
    const catalogue = `${this.#links.base}/docs/errors.md`;
    return section(
      '## Errors',
      items.join('\n'),
      items.length === 0 ? '' : `All codes are in the [error catalogue](${catalogue}).`,
    );
  }

  schemas(): string {
    return section('## Schemas', this.#schemas.sections());
  }

  #header(name: string, given: unknown): string {
    const { schema, description } = this.#at<{ schema: JsonSchema; description: string }>(given);
    return item(`${code(name)} (${this.#schemas.type(schema)}): ${this.#links.relink(description)}`);
  }

  #content(content: Readonly<Record<string, MediaType>>): string[] {
    return Object.entries(content).flatMap(([mediaType, { schema, examples = {} }]) => [
      `Media type ${code(mediaType)}: ${this.#schemas.type(schema)}.`,
      ...Object.values(examples).map((given) => this.#example(mediaType, given)),
    ]);
  }

  #example(mediaType: string, given: unknown): string {
    const { summary = 'Example', value } = this.#at<Example>(given);
    const language = mediaType === 'application/json' ? 'json' : '';
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    return blocks(`${summary}:`, fenced(language, text));
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
