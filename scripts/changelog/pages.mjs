const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** The page of each operation and each error code, by name. */
export function pagesOf({ paths, components }) {
  const operations = Object.values(paths).flatMap((item) => methods.flatMap((method) => item[method] ?? []));
  const codes = Object.keys(components.schemas.ProblemCode['x-problems']);
  return new Map([
    ...codes.map((code) => [code, `/errors/${code.replaceAll('_', '-')}`]),
    ...operations.map(({ operationId }) => [operationId, `/docs/operations/${operationId}`]),
  ]);
}
