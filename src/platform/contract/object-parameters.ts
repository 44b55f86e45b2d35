import type { Parameter } from './contract.js';
import { isObject } from './outside-text.js';

// A query parameter with `style: deepObject` is an object. Each member is a parameter of the request, such as
// `filter[custom.cost_center]`, and each bound of a range another one, such as `filter[custom.size][gte]`. `x-member-name` has the names of
// its members, with `<key>` for a key: generators for OpenAPI 3.0 do not support the keywords that could state them.

/** Whether a parameter is an object, each member of which is a parameter of the request. */
export function isObjectParameter({ style }: Pick<Parameter, 'style'>): boolean {
  return style === 'deepObject';
}

/** The name of a parameter for readers: for an object that of its members, such as `filter[custom.<key>]`. */
export function shownName(parameter: Pick<Parameter, 'name' | 'style' | 'x-member-name'>): string {
  const { name, 'x-member-name': member = '<key>' } = parameter;
  return isObjectParameter(parameter) ? memberParameter(name, [member]) : name;
}

/** The path in an object of a parameter of the request: a member, or a bound of a member; `undefined` for another parameter. */
export type ReadPath = (name: string) => readonly string[] | undefined;

const keyForm = '[a-z0-9_]{1,100}';

/** Creates the function that reads the names of parameters of the request. */
export function pathReader({ name, 'x-member-name': member = '<key>' }: Parameter): ReadPath {
  const memberForm = member.split('<key>').map(escaped).join(keyForm);
  const form = new RegExp(`^${escaped(name)}\\[(${memberForm})\\](?:\\[(gte|lt)\\])?$`);
  return (given) =>
    form
      .exec(given)
      ?.slice(1)
      .filter((part) => part !== undefined);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The parameter of the request for a path in an object. */
export function memberParameter(name: string, path: readonly string[]): string {
  return [name, ...path.map((member) => `[${member}]`)].join('');
}

/** The parameters of the request for an object, with their values. */
export function memberParameters(name: string, value: object): [name: string, value: unknown][] {
  return Object.entries(value).flatMap(([member, given]): [string, unknown][] => {
    const parameter = memberParameter(name, [member]);
    return isObject(given) ? memberParameters(parameter, given) : [[parameter, given]];
  });
}
