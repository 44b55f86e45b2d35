import type { ErrorObject } from 'ajv';
import { isInteger } from '../contract/contract.js';
import { memberIn, pointerTo } from '../contract/json-pointer.js';
import { memberParameter } from '../contract/object-parameters.js';
import { type InvalidValue, invalidRequest } from './invalid-request.js';
import type { Problem } from './problem.js';
import { isRuleName, type Violation, violation } from './rule-texts.js';

interface Branch {
  readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
}

type Schema = ErrorObject['parentSchema'];

/** The rule of the catalogue that a finding of the validator violates. */
export function violationOf({ keyword, params, parentSchema }: ErrorObject): Violation {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, minProperties, maxProperties } =
    parentSchema ?? {};
  const stated = statedRule(parentSchema);
  switch (keyword) {
    case 'required':
      return violation('required');
    case 'additionalProperties':
      return violation('known_member', { values: Object.keys(parentSchema?.properties ?? {}) });
    case 'minimum':
    case 'maximum':
      return violation('integer_range', { minimum, maximum });
    case 'minLength':
      return violation('minimum_length', { minimum: minLength, maximum: maxLength });
    case 'maxLength':
      return violation('maximum_length', { minimum: minLength, maximum: maxLength });
    case 'minItems':
      return violation('minimum_length', { minimum: minItems, maximum: maxItems, of: 'item' });
    case 'maxItems':
      return stated ?? violation('maximum_length', { minimum: minItems, maximum: maxItems, of: 'item' });
    case 'minProperties':
      return violation('minimum_length', { minimum: minProperties, maximum: maxProperties, of: 'member' });
    case 'maxProperties':
      return violation('maximum_length', { minimum: minProperties, maximum: maxProperties, of: 'member' });
    case 'discriminator':
      return violation('discriminator', { values: tagValues(parentSchema, params.tag) });
    case 'enum':
      return violation('one_of', { values: params.allowedValues });
    case 'type':
      return violation('type', { types: [params.type].flat(), minimum, maximum });
    case 'format':
      if (isInteger(parentSchema)) return violation('integer_range', { minimum, maximum });
      if (params.format === 'date-time') return violation('existing_timestamp');
      return stated ?? violation('valid');
    default:
      return (keyword === 'pattern' ? stated : undefined) ?? violation('valid');
  }
}

/** The rule that the contract names, because no keyword of JSON Schema states it. */
function statedRule(schema: Schema): Violation | undefined {
  const { name, ...params } = (schema?.['x-rule'] ?? {}) as { name?: string };
  return name !== undefined && isRuleName(name) ? { rule: name, params } : undefined;
}

/** Values of the property that selects a branch of a union. */
function tagValues(schema: Schema, tag: string): readonly string[] {
  const branches = (schema?.oneOf ?? []) as readonly Branch[];
  return branches.flatMap(({ properties }) => properties[tag]?.enum ?? []);
}

/** Findings of a branch that are compared. An array with many invalid items has one for each item. */
const maximumFindings = 100;

/**
 * Reduces the findings about a body that matches no branch of its `oneOf` to those of the most likely branch. Findings
 * that all branches share are reported once.
 *
 * @param findings all findings of one validation; a finding of a branch has its index in `schemaPath`
 */
function chooseBranch(findings: readonly ErrorObject[]): readonly ErrorObject[] {
  const union = findings.find(({ keyword }) => keyword === 'oneOf');
  if (union === undefined) return findings;
  const prefix = `${union.schemaPath}/`;
  const branches = groupByBranch(findings, prefix);
  // A value that matches several branches has no findings about any of them.
  if (branches.length === 0) return findings;
  const found = countBranches(branches);
  const isCommon = (finding: ErrorObject) =>
    branches.length > 1 && found.get(identity(finding)) === branches.length;
  const isOtherType = ({ keyword, instancePath }: ErrorObject) =>
    keyword === 'type' && instancePath === union.instancePath;
  const chosen = mostLikely(
    branches.map((branch) => branch.filter((finding) => !isCommon(finding))),
    (finding) => isMismatch(finding) || isOtherType(finding),
  );
  const common = (branches[0] ?? []).filter(isCommon);
  const others = findings.filter((finding) => finding !== union && !finding.schemaPath.startsWith(prefix));
  return [...others, ...common, ...chosen];
}

function groupByBranch(findings: readonly ErrorObject[], prefix: string): ErrorObject[][] {
  const branches = new Map<string, ErrorObject[]>();
  for (const finding of findings) {
    if (!finding.schemaPath.startsWith(prefix)) continue;
    const [index = ''] = finding.schemaPath.slice(prefix.length).split('/', 1);
    const branch = branches.get(index);
    if (branch === undefined) branches.set(index, [finding]);
    else if (branch.length < maximumFindings) branch.push(finding);
  }
  return [...branches.values()];
}

/** Number of branches that have each finding. */
function countBranches(branches: readonly (readonly ErrorObject[])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const branch of branches) {
    for (const name of new Set(branch.map(identity))) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function identity({ instancePath, keyword, params }: ErrorObject): string {
  return JSON.stringify([instancePath, keyword, params]);
}

/**
 * The branch with the fewest mismatches, then with the fewest missing members, then with the fewest findings. When two members
 * exclude each other, the last branch is chosen, which reports the first of them.
 */
function mostLikely(
  branches: readonly (readonly ErrorObject[])[],
  isMismatch: (finding: ErrorObject) => boolean,
): readonly ErrorObject[] {
  const mismatches = (branch: readonly ErrorObject[]) => branch.filter(isMismatch).length;
  const missing = (branch: readonly ErrorObject[]) =>
    branch.filter(({ keyword }) => keyword === 'required').length;
  return branches.reduce((best, branch) => {
    const order =
      mismatches(branch) - mismatches(best) || missing(branch) - missing(best) || branch.length - best.length;
    return order < 0 || (order === 0 && mismatches(branch) > 0) ? branch : best;
  });
}

/** Findings that make a branch unlikely: a required member is missing, or a sent member must be empty. */
function isMismatch({ keyword, params }: ErrorObject): boolean {
  return keyword === 'required' || (keyword === 'maxItems' && params.limit === 0);
}

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
  const given = firstAlternatives(dropItemsOfEmptyLists(findings));
  const relevant = part === 'querystring' ? onePerValue(given) : dropRepetitions(chooseBranch(given));
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

/** A value that matches no branch of its `anyOf` gets the findings of the first branch, which has the usual values. */
function firstAlternatives(findings: readonly ErrorObject[]): readonly ErrorObject[] {
  const others = findings
    .filter(({ keyword }) => keyword === 'anyOf')
    .map(({ schemaPath, instancePath }) => ({ schemaPath, first: `${schemaPath}/0/`, instancePath }));
  if (others.length === 0) return findings;
  return findings.filter(({ schemaPath: path, instancePath: at }) =>
    others.every(
      ({ schemaPath, first, instancePath }) =>
        at !== instancePath || !path.startsWith(schemaPath) || path.startsWith(first),
    ),
  );
}

/**
 * Name of the parameter that a finding of a query is about, also of one about an item of its array; empty for a missing one. The members
 * of an object are parameters.
 */
function parameterOf({ instancePath }: Pick<ErrorObject, 'instancePath'>): string {
  const [name = '', ...path] = instancePath.slice(1).split('/').map(memberIn);
  return memberParameter(
    name,
    path.filter((part) => !/^\d+$/.test(part)),
  );
}

/** The value that a finding of a query is about: a parameter, or a member of an object with all its bounds. */
function givenValueOf({ instancePath }: ErrorObject): string {
  return parameterOf({ instancePath: instancePath.split('/').slice(0, 3).join('/') });
}

/** Keeps one finding for each value of a query. */
function onePerValue(findings: readonly ErrorObject[]): readonly ErrorObject[] {
  const found = new Map<string, ErrorObject[]>();
  for (const finding of findings) {
    const name = givenValueOf(finding);
    const others = found.get(name);
    if (others === undefined) found.set(name, [finding]);
    else others.push(finding);
  }
  return [...found].flatMap(([name, about]) =>
    name === '' ? about : dropRepetitions(chooseBranch(about)).slice(0, 1),
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
  const name = (part === 'querystring' && parameterOf(finding)) || memberIn(pointer.slice(1));
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
  return member === undefined ? '' : pointerTo(member);
}
