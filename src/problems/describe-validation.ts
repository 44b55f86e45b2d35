import type { ErrorObject } from 'ajv';
import { describeRule } from './describe-rule.js';
import { invalidRequest } from './invalid-request.js';
import type { Problem, ProblemError } from './problem.js';
import { chooseBranch } from './union-findings.js';

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
  const relevant = dropRepetitions(chooseBranch(dropItemsOfNothing(findings)));
  return invalidRequest(relevant, (finding) => describeFinding(finding, part, form));
}

/** A list that must be empty gets one finding, and none for each of its items. */
function dropItemsOfNothing(findings: readonly ErrorObject[]): readonly ErrorObject[] {
  return findings.filter(
    ({ keyword, params }) => !(keyword === 'enum' && params.allowedValues.join() === ''),
  );
}

/** Keywords that each say what form a text has. */
const textKeywords = ['minLength', 'pattern', 'format'];

/**
 * A text that breaks several of these rules gets one finding: the others say the same in other words. So does a value of
 * the wrong type, which is not in the list of values either.
 */
function dropRepetitions(findings: readonly ErrorObject[]): readonly ErrorObject[] {
  const described = new Set<string>();
  const mistyped = new Set(
    findings.flatMap(({ keyword, instancePath }) => (keyword === 'type' ? [instancePath] : [])),
  );
  return findings.filter(({ keyword, instancePath }) => {
    if (keyword === 'enum') return !mistyped.has(instancePath);
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
  if (part !== 'body' || form) return { parameter: name, detail: `${name} ${parameterRule(finding)}.` };
  return { pointer, detail: `${pointer === '' ? 'The body' : pointer} ${describeRule(finding)}.` };
}

/** Parameters that are sent several times arrive as a list. */
function parameterRule(finding: ErrorObject): string {
  const isRepeated = finding.keyword === 'type' && finding.instancePath !== '' && Array.isArray(finding.data);
  return isRepeated ? 'must not be repeated' : describeRule(finding);
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
