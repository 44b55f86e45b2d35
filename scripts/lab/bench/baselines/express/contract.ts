import { parse } from 'yaml';

interface Node {
  readonly $ref?: string;
}

interface Parameter extends Node {
  readonly name: string;
  readonly schema: Node;
}

interface Operation {
  parameters?: Parameter[];
}

/**
 * Our contract as express-openapi-validator can serve it. That library treats parameters such as `page[size]` and
 * `page[number]` as members of an object `page` and then rejects both names, so they are described as one object here.
 */
export function contractForExpress(yaml: string) {
  const document = parse(yaml);
  for (const path of Object.values<Record<string, Operation>>(document.paths)) {
    for (const operation of Object.values(path)) {
      if (operation.parameters !== undefined) operation.parameters = combine(document, operation.parameters);
    }
  }
  return document;
}

function combine(document: object, parameters: readonly Parameter[]): Parameter[] {
  const objects = new Map<string, Record<string, Node>>();
  const others: Parameter[] = [];
  for (const entry of parameters) {
    const parameter = resolve(document, entry);
    const [, name, member] = /^(\w+)\[(\w+)\]$/.exec(parameter.name) ?? [];
    if (name === undefined) others.push(entry);
    else objects.set(name, { ...objects.get(name), [member]: resolve(document, parameter.schema) });
  }
  return [...others, ...[...objects].map(([name, properties]) => deepObject(name, properties))];
}

function deepObject(name: string, properties: object): Parameter {
  const schema = { type: 'object', additionalProperties: false, properties };
  return { name, in: 'query', style: 'deepObject', explode: true, schema } as Parameter;
}

function resolve<Kind extends Node>(document: object, node: Kind): Kind {
  if (node.$ref === undefined) return node;
  return node.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((parent, key) => (parent as Record<string, unknown>)[key], document) as Kind;
}
