import type { ProblemCode } from '../../../src/platform/contract/contract.js';

/** A block of code. */
export function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

/** A value of JSON as code. */
export function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

/** An item of a list. Further lines are part of it. */
export function item(text: string): string {
  return `- ${text.trim().replaceAll(/\n(?=.)/g, '\n  ')}`;
}

/** Blocks separated by blank lines; empty ones are omitted. */
export function blocks(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n');
}

/** A section, omitted when it is empty. */
export function section(heading: string, ...parts: readonly (string | undefined)[]): string {
  const content = blocks(...parts);
  return content === '' ? '' : blocks(heading, content);
}

/** A document ends with a line break. */
export function documentOf(...parts: readonly (string | undefined)[]): string {
  return `${blocks(...parts)}\n`;
}

/** An operation or a webhook, for readers. All texts are Markdown with complete links. */
export interface Description {
  readonly title: string;
  readonly text: string;
  /** Name of its chapter. */
  readonly chapter: string;
  /** Date of the deprecation, if it is deprecated. */
  readonly deprecatedSince: string | undefined;
  readonly parameters: readonly DescribedParameter[];
  readonly body: DescribedBody | undefined;
  readonly successes: readonly DescribedResponse[];
  readonly errors: readonly DescribedError[];
  /** The named schemas that the other parts refer to. */
  readonly schemas: readonly DescribedSchema[];
}

/** A member of an object. */
export interface DescribedMember {
  readonly name: string;
  readonly required: boolean;
  /** Type and limits in a few words. */
  readonly type: string;
  readonly text: string;
}

export interface DescribedParameter extends DescribedMember {
  readonly place: 'path' | 'query' | 'header' | 'cookie';
  readonly example: unknown;
}

interface DescribedBody {
  readonly required: boolean;
  readonly text: string;
  readonly contents: readonly DescribedContent[];
}

/** A body in one media type. */
export interface DescribedContent {
  readonly mediaType: string;
  readonly type: string;
  readonly examples: readonly { readonly title: string; readonly source: string }[];
}

/** A response that is not an error. */
export interface DescribedResponse {
  readonly status: string;
  readonly text: string;
  readonly headers: readonly Pick<DescribedMember, 'name' | 'type' | 'text'>[];
  readonly contents: readonly DescribedContent[];
}

export interface DescribedError {
  readonly status: string;
  readonly text: string;
  readonly codes: readonly ProblemCode[];
}

export interface DescribedSchema {
  readonly name: string;
  readonly text: string;
  /** Empty for objects with members. */
  readonly type: string;
  readonly members: readonly DescribedMember[];
}
