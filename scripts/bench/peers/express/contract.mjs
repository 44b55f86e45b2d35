import { parse } from 'yaml';

/**
 * Our contract as express-openapi-validator can serve it. That library takes parameters such as `page[size]` and
 * `page[number]` for members of an object `page` and then knows neither name, so they are described as one here.
 *
 * @param {string} yaml
 */
export function contractFor(yaml) {
  const document = parse(yaml);
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path)) {
      if (Array.isArray(operation.parameters)) operation.parameters = combine(document, operation.parameters);
    }
  }
  return document;
}

function combine(document, parameters) {
  const objects = new Map();
  const others = [];
  for (const entry of parameters) {
    const parameter = resolve(document, entry);
    const [, name, member] = /^(\w+)\[(\w+)\]$/.exec(parameter.name) ?? [];
    if (name === undefined) {
      others.push(entry);
      continue;
    }
    const properties = objects.get(name) ?? {};
    properties[member] = resolve(document, parameter.schema);
    objects.set(name, properties);
  }
  return [...others, ...[...objects].map(([name, properties]) => deepObject(name, properties))];
}

function deepObject(name, properties) {
  return {
    name,
    in: 'query',
    style: 'deepObject',
    explode: true,
    schema: { type: 'object', additionalProperties: false, properties },
  };
}

function resolve(document, node) {
  if (node.$ref === undefined) return node;
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((parent, key) => parent[key], document);
}
