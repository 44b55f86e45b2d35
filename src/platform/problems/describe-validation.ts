import type { ErrorObject } from 'ajv';
import { violationOf } from './describe-rule.js';
import { type InvalidValue, invalidRequest } from './invalid-request.js';
import type { Problem } from './problem.js';
import { type Violation, violation } from './rule-texts.js';
import { chooseBranch } from './union-findings.js';

/** Part of a request, as Fastify names it. */
export type RequestPart = 'body' | 'querystring' | 'params' | 'headers';

/**
 * Turns findings of the validator into one error for each invalid parameter, header or member of the body.
 *
 * @param form whether the members of the body are form parameters
 */
export function invalidValues(
  findings: readonly ErrorObject[],
  part: RequestPart,
  { form = false } = {},
): InvalidValue[] {
  const relevant = dropRepetitions(chooseBranch(dropItemsOfEmptyLists(findings)));
  return relevant.map((finding) => toInvalidValue(finding, part, form));
}

/** 400 `invalid_request` for findings of the validator. */
export function describeValidation(...given: Parameters<typeof invalidValues>): Problem {
  return invalidRequest(invalidValues(...given));
}

/** An array that must be empty gets one finding instead of one for each item. */
function dropItemsOfEmptyLists(findings: readonly ErrorObject[]): readonly ErrorObject[] {
  return findings.filter(
    ({ keyword, params }) => !(keyword === 'enum' && params.allowedValues.join() === ''),
  );
}

/** Keywords of strings and integers. */
const valueKeywords = ['minLength', 'maxLength', 'pattern', 'format', 'minimum', 'maximum'];

/**
 * Keeps one finding for a value that several of these keywords reject. A value of the wrong type is reported for its
 * type only, not for `enum` as well.
 */
function dropRepetitions(findings: readonly ErrorObject[]): readonly ErrorObject[] {
  const described = new Set<string>();
  const mistyped = new Set(
    findings.flatMap(({ keyword, instancePath }) => (keyword === 'type' ? [instancePath] : [])),
  );
  return findings.filter(({ keyword, instancePath }) => {
    if (keyword === 'enum') return !mistyped.has(instancePath);
    if (!valueKeywords.includes(keyword)) return true;
    if (described.has(instancePath)) return false;
    described.add(instancePath);
    return true;
  });
}

/** Parameters of an authorization request that RFC 6749 leaves optional, and many clients omit. */
const explained: Readonly<Record<string, Violation>> = {
  scope: violation('required_scope'),
  state: violation('required_state'),
};

function toInvalidValue(finding: ErrorObject, part: RequestPart, form: boolean): InvalidValue {
  const pointer = `${finding.instancePath}${missingOrExtraMember(finding)}`;
  const name = pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  if (part === 'headers') return { place: { header: name }, violation: violationOf(finding) };
  if (part === 'body' && !form) return { place: { pointer }, violation: violationOf(finding) };
  const required = part === 'querystring' && finding.keyword === 'required' ? explained[name] : undefined;
  return { place: { parameter: name }, violation: required ?? parameterViolation(finding) };
}

/** Repeated parameters are parsed as an array. */
function parameterViolation(finding: ErrorObject): Violation {
  const isRepeated = finding.keyword === 'type' && finding.instancePath !== '' && Array.isArray(finding.data);
  return isRepeated ? violation('not_repeated') : violationOf(finding);
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
