import type { ErrorObject } from 'ajv';
import { describeRule } from './describe-rule.js';
import { invalidRequest } from './invalid-request.js';
import type { Problem, ProblemError } from './problem.js';
import { chooseBranch } from './union-findings.js';

/** Part of a request, as Fastify names it. */
export type RequestPart = 'body' | 'querystring' | 'params' | 'headers';

/**
 * Turns findings of the validator into 400 `invalid_request` with one error for each invalid parameter, header or member of
 * the body. Each error states the valid values.
 *
 * @param form whether the members of the body are form parameters
 */
export function describeValidation(
  findings: readonly ErrorObject[],
  part: RequestPart,
  { form = false } = {},
): Problem {
  const relevant = dropRepetitions(chooseBranch(dropItemsOfEmptyLists(findings)));
  return invalidRequest(relevant, (finding) => describeFinding(finding, part, form));
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

/** What to send for parameters of an authorization request that RFC 6749 leaves optional, and many clients omit. */
const adviceFor: Readonly<Record<string, string>> = {
  scope:
    'the user is asked for these scopes only. Send the scopes that you need, separated by spaces, such as user:read reports:read.',
  state:
    'it protects the user against CSRF. Send a new unguessable value in each request, and compare it with the one that comes back.',
};

function describeFinding(finding: ErrorObject, part: RequestPart, form: boolean): ProblemError {
  const pointer = `${finding.instancePath}${missingOrExtraMember(finding)}`;
  const name = pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  if (part === 'headers') return { header: name, detail: `${name} ${describeRule(finding)}.` };
  const advice = part === 'querystring' && finding.keyword === 'required' ? adviceFor[name] : undefined;
  if (advice !== undefined) return { parameter: name, detail: `${name} is required: ${advice}` };
  if (part !== 'body' || form) return { parameter: name, detail: `${name} ${parameterRule(finding)}.` };
  return { pointer, detail: `${pointer === '' ? 'The body' : pointer} ${describeRule(finding)}.` };
}

/** Repeated parameters are parsed as an array. */
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
