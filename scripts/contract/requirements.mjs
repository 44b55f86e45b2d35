/**
 * Everything that the tests must cover in a contract, one line each: every documented response of every operation, every
 * query parameter and header both accepted and rejected, and every code of the catalogue.
 */
export function requirementsOf(document) {
  const requirements = [];
  for (const { id, operation, item } of operationsOf(document)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      const types = Object.keys(resolve(document, response).content ?? {});
      if (types.length === 0) requirements.push(responseLine(id, status, ''));
      for (const type of types) requirements.push(responseLine(id, status, type));
    }
    for (const parameter of [...(item.parameters ?? []), ...(operation.parameters ?? [])]) {
      const { name, in: place } = resolve(document, parameter);
      if (place === 'path') continue;
      requirements.push(parameterLine(id, name, 'accepted'), parameterLine(id, name, 'rejected'));
    }
  }
  for (const code of Object.keys(document.components.schemas.ProblemCode['x-problems'])) {
    requirements.push(`code ${code}`);
  }
  return requirements;
}

/** The requirements that one recorded exchange covers. */
export function coveredBy({ operation, status, mediaType, code, sent, rejected }) {
  const covered = code === undefined ? [] : [`code ${code}`];
  if (operation === undefined) return covered;
  covered.push(responseLine(operation, status, mediaType));
  if (status < 400) for (const name of sent) covered.push(parameterLine(operation, name, 'accepted'));
  for (const name of rejected) covered.push(parameterLine(operation, name, 'rejected'));
  return covered;
}

function responseLine(id, status, mediaType) {
  return `${id} ${status} ${mediaType}`.trim();
}

function parameterLine(id, name, outcome) {
  return `${id} ${name} ${outcome}`;
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
