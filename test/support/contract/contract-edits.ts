/** A location in a contract, as keys from the root. */
export type Place = readonly (string | number)[];

export interface Node {
  [key: string]: unknown;
}

/** An edit of a contract, and the location at which the comparison reports it. */
export interface Change {
  readonly at: string;
  apply(document: Node): void;
}

export const schema = (name: string, ...more: Place): Place => ['components', 'schemas', name, ...more];
export const parameter = (name: string, ...more: Place): Place => ['components', 'parameters', name, ...more];

/** Sets a member, or an entry of a list. */
export function put(place: Place, value: unknown, at: Place = place): Change {
  return edit(place, at, (parent, key) => {
    parent[key] = structuredClone(value);
  });
}

/** Removes a member, or an entry of a list. */
export function remove(place: Place, at: Place = place): Change {
  return edit(place, at, (parent, key) => {
    if (parent[key] === undefined) throw new Error(`There is no ${pointer(place)}`);
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else delete parent[key];
  });
}

/** Adds an entry at the end of a list. */
export function append(place: Place, value: unknown, at: Place): Change {
  return rewrite(place, at, (list) => [...(list as unknown[]), value]);
}

/** Adds an entry at the start of a list, or a member at the start of an object. */
export function prepend(place: Place, value: unknown, at: Place, key = ''): Change {
  return rewrite(place, at, (node) =>
    Array.isArray(node) ? [value, ...node] : { [key]: value, ...(node as Node) },
  );
}

/** Reverses the order of a list, or of the members of an object. */
export function reverse(place: Place, at: Place = place): Change {
  return rewrite(place, at, (node) =>
    Array.isArray(node) ? node.toReversed() : Object.fromEntries(Object.entries(node as Node).toReversed()),
  );
}

/** Renames a member, and keeps its position in the object. */
export function rename(place: Place, to: string, at: Place = [...place.slice(0, -1), to]): Change {
  const renamed = ([key, value]: [string, unknown]) => [key === place.at(-1) ? to : key, value];
  return rewrite(place.slice(0, -1), at, (node) =>
    Object.fromEntries(Object.entries(node as Node).map(renamed)),
  );
}

/** The value at a location, or `undefined`. References are not followed. */
export function valueAt(document: Node, place: Place): unknown {
  return place.reduce<unknown>((node, key) => (node as Node | undefined)?.[key], document);
}

/** The location after every reference on its path is followed. */
export function follow(document: Node, place: Place): Place {
  let reached: Place = [];
  for (const key of [...place, undefined]) {
    for (let ref = referenceAt(document, reached); ref !== undefined; ref = referenceAt(document, reached)) {
      reached = ref.slice('#/'.length).split('/').map(unescapeKey);
    }
    if (key !== undefined) reached = [...reached, key];
  }
  return reached;
}

export function pointer(place: Place): string {
  return `#/${place.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
}

function rewrite(place: Place, at: Place, change: (value: unknown) => unknown): Change {
  return edit(place, at, (parent, key) => {
    parent[key] = change(parent[key]);
  });
}

function edit(place: Place, at: Place, change: (parent: Node, key: string) => void): Change {
  const apply = (document: Node) =>
    change(valueAt(document, place.slice(0, -1)) as Node, String(place.at(-1)));
  return { at: pointer(at), apply };
}

function referenceAt(document: Node, place: Place): string | undefined {
  return (valueAt(document, place) as { $ref?: string } | undefined)?.$ref;
}

function unescapeKey(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}
