const methods = ['get', 'put', 'post', 'delete', 'patch'];
const prefix = '#/components/examples/';

/**
 * Finds the uses of the named examples of a contract.
 *
 * @returns a map from the name of each example to `request`, whether a request body uses it, and `responses`, the
 *   `status` and `mediaType` of each response that uses it
 */
export function usesOf(document) {
  const uses = new Map(
    Object.keys(document.components.examples).map((name) => [name, { request: false, responses: [] }]),
  );
  for (const item of Object.values(document.paths)) {
    for (const method of methods) {
      const operation = item[method];
      if (operation === undefined) continue;
      for (const { name } of examplesIn(resolve(document, operation.requestBody))) {
        useOf(uses, name).request = true;
      }
      for (const [status, response] of Object.entries(operation.responses)) {
        for (const { name, mediaType } of examplesIn(resolve(document, response))) {
          useOf(uses, name).responses.push({ status: Number(status), mediaType });
        }
      }
    }
  }
  return uses;
}

function* examplesIn(body) {
  for (const [mediaType, { examples = {} }] of Object.entries(body?.content ?? {})) {
    for (const [key, { $ref }] of Object.entries(examples)) {
      if (!$ref?.startsWith(prefix)) throw new Error(`The example ${key} is not in components.examples.`);
      yield { mediaType, name: $ref.slice(prefix.length) };
    }
  }
}

function useOf(uses, name) {
  const use = uses.get(name);
  if (use === undefined) throw new Error(`The example ${name} is not in components.examples.`);
  return use;
}

function resolve(document, node) {
  if (node?.$ref === undefined) return node;
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((at, key) => at[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}
