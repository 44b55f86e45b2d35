import { released } from './contract-changes.js';
import { follow, type Node, type Place, valueAt } from './contract-edits.js';

const methods = new Set(['get', 'post', 'put', 'patch', 'delete']);

/** The names of base locations in the rows of document.yaml. */
interface Base {
  readonly operation?: string;
  readonly form?: boolean;
  readonly path?: string;
  readonly flow?: string;
  readonly problem?: string;
}

/** The locations that the rows of a table apply to. */
export function basesOf(table: string, row: object): readonly Place[] {
  if (table === 'document') return [baseOf(row)];
  if (table === 'parameters') return componentsOf('parameters');
  if (table === 'errors')
    return componentsOf('responses').filter((place) => onlyErrors(String(place.at(-1))));
  return operations();
}

/** The location of an operation. */
export function operationPlace(id: string): Place {
  const found = operations().find((place) => valueAt(released, [...place, 'operationId']) === id);
  if (found === undefined) throw new Error(`There is no operation ${id}`);
  return found;
}

function baseOf({ operation, form, path, flow, problem }: Base): Place {
  if (path !== undefined) return ['paths', path];
  if (flow !== undefined) return ['components', 'securitySchemes', 'oauth2', 'flows', flow];
  if (problem !== undefined) return ['components', 'schemas', 'ProblemCode', 'x-problems', problem];
  if (operation === undefined) return [];
  const body = ['requestBody', 'content', 'application/x-www-form-urlencoded', 'schema'];
  return form ? follow(released, [...operationPlace(operation), ...body]) : operationPlace(operation);
}

function operations(): readonly Place[] {
  return Object.entries(released.paths as Record<string, Node>).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => methods.has(method))
      .map((method) => ['paths', path, method]),
  );
}

function componentsOf(kind: string): readonly Place[] {
  return Object.keys(valueAt(released, ['components', kind]) as Node).map((name) => [
    'components',
    kind,
    name,
  ]);
}

function onlyErrors(name: string): boolean {
  const statuses = statusesByReference().get(`#/components/responses/${name}`) ?? [];
  return statuses.length > 0 && statuses.every((status) => /^[45]/.test(status));
}

function statusesByReference(): ReadonlyMap<string, readonly string[]> {
  const responses = operations().flatMap((place) =>
    Object.entries(valueAt(released, [...place, 'responses']) as Record<string, { $ref?: string }>),
  );
  const found = new Map<string, string[]>();
  for (const [status, { $ref = '' }] of responses) found.set($ref, [...(found.get($ref) ?? []), status]);
  return found;
}
