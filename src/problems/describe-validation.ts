import type { ErrorObject } from 'ajv';
import { Problem, type ProblemError } from './problem.js';
import { chooseBranch } from './union-findings.js';

interface Branch {
  readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
}

/** More findings than these help nobody, and the answer stays small whatever was sent. */
const maximumFindings = 20;

/** The part of a request that a schema was applied to, in Fastify's words. */
export type RequestPart = 'body' | 'querystring' | 'params' | 'headers';

/**
 * Turns what the validator found into 400 `invalid_request`, which names each parameter, header or member of
 * the body and says what would be right. `form` marks a body whose members are form parameters.
 */
export function describeValidation(
  findings: readonly ErrorObject[],
  part: RequestPart,
  { form = false } = {},
): Problem {
  const errors = dropRepetitions(chooseBranch(dropItemsOfNothing(findings)))
    .slice(0, maximumFindings)
    .map((finding) => describeFinding(finding, part, form));
  const [first] = errors;
  const detail =
    errors.length === 1 && first !== undefined ? first.detail : `The request has ${errors.length} errors.`;
  return new Problem('invalid_request', detail, { errors });
}

/** A list that must be empty gets one finding, and none for each of its items. */
function dropItemsOfNothing(findings: readonly ErrorObject[]): readonly ErrorObject[] {
  return findings.filter(
    ({ keyword, params }) => !(keyword === 'enum' && params.allowedValues.join() === ''),
  );
}

/** Keywords that each say what form a text has. */
const textKeywords = ['minLength', 'pattern', 'format'];

/** A text that breaks several of these rules gets one finding: the others say the same in other words. */
function dropRepetitions(findings: readonly ErrorObject[]): readonly ErrorObject[] {
  const described = new Set<string>();
  return findings.filter(({ keyword, instancePath }) => {
    if (!textKeywords.includes(keyword)) return true;
    if (described.has(instancePath)) return false;
    described.add(instancePath);
    return true;
  });
}

function describeFinding(finding: ErrorObject, part: RequestPart, form: boolean): ProblemError {
  const pointer = `${finding.instancePath}${missingOrExtraMember(finding)}`;
  const name = pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  if (part === 'headers') return { header: name, detail: `${name} ${describeRule(finding)}.` };
  if (part !== 'body' || form) return { parameter: name, detail: `${name} ${describeRule(finding)}.` };
  return { pointer, detail: `${pointer === '' ? 'The body' : pointer} ${describeRule(finding)}.` };
}

function missingOrExtraMember({ keyword, params }: ErrorObject): string {
  const member: string | undefined =
    keyword === 'required'
      ? params.missingProperty
      : keyword === 'additionalProperties'
        ? params.additionalProperty
        : keyword === 'discriminator'
          ? params.tag
          : undefined;
  return member === undefined ? '' : `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function describeRule({ keyword, params, message, parentSchema }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not allowed';
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'minLength':
      return `must have at least ${params.limit} characters`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'minItems':
      return `must have at least ${params.limit} items`;
    case 'discriminator':
      return `must be one of ${tagValues(parentSchema, params.tag).join(', ')}`;
    case 'maxItems':
      return statedRule(parentSchema) ?? `must have at most ${params.limit} items`;
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}`;
    case 'type':
      return `must be ${[params.type].flat().join(' or ')}`;
    case 'format':
      return `must be a valid ${params.format}`;
    case 'pattern':
      return statedRule(parentSchema) ?? `must match the pattern ${params.pattern}`;
    default:
      return message ?? 'is not valid';
  }
}

/** The sentence of the contract's description that begins with Must, which says in words what the pattern checks. */
function statedRule(schema: ErrorObject['parentSchema']): string | undefined {
  const sentence = /(?:^|\. +)M(ust [^.]*)\./.exec(oneLine(schema))?.[1];
  return sentence === undefined ? undefined : `m${sentence}`;
}

/** Values of the member that decides between the branches of a union. */
function tagValues(schema: ErrorObject['parentSchema'], tag: string): readonly string[] {
  const branches = (schema?.oneOf ?? []) as readonly Branch[];
  return branches.flatMap(({ properties }) => properties[tag]?.enum ?? []);
}

function oneLine(schema: ErrorObject['parentSchema']): string {
  return String(schema?.description ?? '')
    .replaceAll('`', '')
    .replaceAll(/\s+/g, ' ');
}
