/** The parts of the library that tests use. Its own declarations are incomplete. */
declare module 'postman-collection' {
  interface Field {
    readonly key: string;
    readonly value: string;
    readonly disabled?: boolean;
  }

  interface List<Value> {
    all(): Value[];
    count(): number;
    toObject(): Record<string, string>;
  }

  interface Auth {
    readonly type: string;
    parameters(): List<Field>;
  }

  export interface Item {
    readonly id: string;
    readonly name: string;
    readonly request: {
      readonly method: string;
      readonly auth?: Auth;
      readonly headers: List<Field>;
      readonly url: { toString(): string; getPath(): string };
      readonly body?: { readonly mode: string; readonly raw?: string; readonly urlencoded?: List<Field> };
    };
    readonly responses: List<{ readonly code: number; readonly body: string }>;
    readonly events: List<{ readonly listen: string; readonly script: { toSource(): string } }>;
    parent(): { readonly name: string };
  }

  class Collection {
    constructor(definition: object);
    readonly auth?: Auth;
    readonly variables: List<Field>;
    forEachItem(visit: (item: Item) => void): void;
  }

  const library: { Collection: typeof Collection };
  export default library;
}
