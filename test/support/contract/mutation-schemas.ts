import { released } from './contract-changes.js';
import {
  append,
  follow,
  type Place,
  parameter as parameterPlace,
  pointer,
  put,
  schema as schemaPlace,
} from './contract-edits.js';
import { type Mutation, readTable, type Verdict } from './contract-mutations.js';
import { operationPlace } from './mutation-bases.js';

interface Kind {
  readonly kind: string;
  readonly before: object;
  readonly after: object;
  readonly at?: string;
  readonly request: Verdict;
  readonly response: Verdict;
  readonly also?: Readonly<Record<string, Verdict>>;
}

interface Location {
  readonly location: string;
  readonly side: 'request' | 'response' | 'both';
  readonly operation: string;
  readonly parameter?: string;
  readonly header?: Place;
  readonly schema?: Place;
  readonly shared?: string;
  readonly response?: Place;
}

const strictness: readonly Verdict[] = ['none', 'editorial', 'additive', 'breaking'];

/** Every kind of change to a schema at every location. The changes do not overlap. */
export function schemaMutations(...tables: readonly string[]): readonly Mutation[] {
  const kinds = tables.flatMap((table) => readTable<Kind>(table));
  return readTable<Location>('locations').flatMap((location) =>
    kinds.map((kind) => mutationOf(kind, location)),
  );
}

function mutationOf(kind: Kind, location: Location): Mutation {
  const name = kind.kind.replaceAll(/[ -]/g, '_');
  const { place, plant, also } = planting(location, name);
  const at = kind.at === undefined ? pointer(place) : `${pointer(place)}/${kind.at}`;
  const others = Object.entries(kind.also ?? {}).map(([part, verdict]) => [
    `${pointer(place)}/${part}`,
    verdict,
  ]);
  return {
    kind: kind.kind,
    title: `${kind.kind} in ${location.location}`,
    group: 1,
    before: [...plant(kind.before), ...also],
    change: { ...put(place, kind.after), at },
    expected: { ...Object.fromEntries(others), [at]: verdictOf(kind, location) },
  };
}

function verdictOf({ request, response }: Kind, { side }: Location): Verdict {
  if (side !== 'both') return side === 'request' ? request : response;
  return strictness.findLast((verdict) => verdict === request || verdict === response) as Verdict;
}

/** How a schema is placed at a location of the released contract. */
function planting(location: Location, name: string) {
  const operation = operationPlace(location.operation);
  const inOperation = (part: Place = []) => follow(released, [...operation, ...part]);
  if (location.parameter !== undefined) {
    const place = parameterPlace(`${location.parameter}_${name}`);
    const parameter = { name, in: location.parameter, required: location.parameter === 'path' };
    const list = [...operation, 'parameters'];
    return {
      place: [...place, 'schema'],
      plant: (schema: object) => [put(place, { ...parameter, schema })],
      also: [append(list, { $ref: pointer(place) }, list)],
    };
  }
  if (location.header !== undefined) {
    const place = [...inOperation(location.header), name];
    return { place: [...place, 'schema'], plant: (schema: object) => [put(place, { schema })], also: [] };
  }
  const member = [...inOperation(location.schema), 'properties', name];
  if (location.shared === undefined)
    return { place: member, plant: (schema: object) => [put(member, schema)], also: [] };
  const place = schemaPlace(`${location.shared}_${name}`);
  const refers = { $ref: pointer(place) };
  const sent = [...inOperation(location.schema), 'properties', `shared_${name}`];
  const returned = [...inOperation(location.response), 'properties', `shared_${name}`];
  return {
    place,
    plant: (schema: object) => [put(place, schema)],
    also: [put(sent, refers), put(returned, refers)],
  };
}
