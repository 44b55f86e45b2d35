/**
 * Everything that the tests are to have seen of a contract, one line each: every documented answer of every operation,
 * every query parameter and header once accepted and once refused, and every code of the catalogue.
 */
export function demandsOf(document) {
  const demands = [];
  for (const { id, operation, item } of operationsOf(document)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      const types = Object.keys(resolve(document, response).content ?? {});
      if (types.length === 0) demands.push(answerLine(id, status, ''));
      for (const type of types) demands.push(answerLine(id, status, type));
    }
    for (const parameter of [...(item.parameters ?? []), ...(operation.parameters ?? [])]) {
      const { name, in: place } = resolve(document, parameter);
      if (place === 'path') continue;
      demands.push(parameterLine(id, name, 'accepted'), parameterLine(id, name, 'refused'));
    }
  }
  for (const code of Object.keys(document.components.schemas.ProblemCode['x-problems'])) {
    demands.push(`code ${code}`);
  }
  return demands;
}

/** What one recorded exchange shows, in the same words. */
export function shownBy({ operation, status, mediaType, code, sent, refused }) {
  const shown = code === undefined ? [] : [`code ${code}`];
  if (operation === undefined) return shown;
  shown.push(answerLine(operation, status, mediaType));
  if (status < 400) for (const name of sent) shown.push(parameterLine(operation, name, 'accepted'));
  for (const name of refused) shown.push(parameterLine(operation, name, 'refused'));
  return shown;
}

function answerLine(id, status, mediaType) {
  return `${id} ${status} ${mediaType}`.trim();
}

function parameterLine(id, name, fate) {
  return `${id} ${name} ${fate}`;
}

function* operationsOf(document) {
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item)) {
      if (operation?.operationId !== undefined) yield { id: operation.operationId, operation, item };
    }
  }
}

function resolve(document, node) {
  if (node.$ref === undefined) return node;
  const path = node.$ref.slice(2).split('/');
  return resolve(
    document,
    path.reduce((parent, key) => parent[key.replaceAll('~1', '/').replaceAll('~0', '~')], document),
  );
}
