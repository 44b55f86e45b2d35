import { escapeSegment, resolve } from './pairs.mjs';

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'];
const forms = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/**
 * Changes of an order that Redocly does not report and that generated clients depend on: parameters and form members,
 * which are positional arguments, and servers, because clients call the first one.
 */
export function orderChanges(released, contract) {
  const changes = [...operationPairs(released, contract)].flatMap(({ items, operations, at }) =>
    [
      ...parameterChanges(released, contract, items, operations, at),
      ...formChanges(released, contract, ...operations),
      ...serverChanges(released, contract, items, operations, at),
    ].map((change) => ({ ...change, names: [operations[1].operationId] })),
  );
  if (isMoved(firstServer(released), contract.servers)) {
    changes.push(breaking('#/servers', `\`${firstServer(released)}\` is no longer the first server.`));
  }
  return [...new Map(changes.map((change) => [`${change.at} ${change.message}`, change])).values()];
}

function* operationPairs(released, contract) {
  for (const [path, item] of Object.entries(contract.paths)) {
    const before = released.paths[path];
    for (const method of methods.filter((name) => before?.[name] !== undefined && item[name] !== undefined)) {
      const at = `#/paths/${escapeSegment(path)}/${method}`;
      yield { items: [before, item], operations: [before[method], item[method]], at };
    }
  }
}

function* parameterChanges(released, contract, items, operations, at) {
  const [before, after] = [released, contract].map((document, side) =>
    [...(items[side].parameters ?? []), ...(operations[side].parameters ?? [])].map((parameter) => ({
      ref: parameter.$ref,
      ...resolve(document, parameter).node,
    })),
  );
  const isSame = (one) => (other) =>
    (one.ref !== undefined && one.ref === other.ref) || (one.in === other.in && one.name === other.name);
  yield* sequenceChanges(
    after.map((parameter) => before.findIndex(isSame(parameter))),
    after.map(({ name }) => name),
    'Parameter',
    `${at}/parameters`,
  );
}

function* formChanges(released, contract, before, after) {
  const [was, is] = [resolve(released, before.requestBody).node, resolve(contract, after.requestBody).node];
  for (const type of forms) {
    const schema = is?.content?.[type]?.schema;
    const { node, at = '' } = resolve(contract, schema, `#/form`);
    const names = Object.keys(node?.properties ?? {});
    const previous = Object.keys(resolve(released, was?.content?.[type]?.schema).node?.properties ?? {});
    yield* sequenceChanges(
      names.map((name) => previous.indexOf(name)),
      names,
      'Form member',
      `${at}/properties`,
    );
  }
}

/** `positions` are those in the released contract; -1 for a new entry. New entries must follow all others. */
function* sequenceChanges(positions, names, what, at) {
  const known = positions.filter((position) => position !== -1);
  if (known.some((position, index) => position < known[index - 1])) {
    yield breaking(at, `${what}s were reordered: ${names.map((name) => `\`${name}\``).join(', ')}.`);
  }
  const last = positions.findLastIndex((position) => position !== -1);
  for (const [index, name] of names.slice(0, Math.max(last, 0)).entries()) {
    if (positions[index] === -1)
      yield breaking(at, `${what} \`${name}\` was inserted before \`${names[last]}\`.`);
  }
}

/** Servers of a path or an operation replace those of the document. */
function* serverChanges(released, contract, items, operations, at) {
  const own = [0, 1].map((side) => operations[side].servers ?? items[side].servers);
  if (own.every((servers) => servers === undefined)) return;
  const before = firstServer({ servers: own[0] ?? released.servers });
  const after = firstServer({ servers: own[1] ?? contract.servers });
  if (before !== after && before !== undefined) {
    yield breaking(`${at}/servers`, `The first server changed from \`${before}\` to \`${after}\`.`);
  }
}

function firstServer({ servers }) {
  return servers?.[0]?.url;
}

function isMoved(url, servers = []) {
  return servers.findIndex((server) => server.url === url) > 0;
}

function breaking(at, message) {
  return { impact: 'breaking', at, message, names: [] };
}
