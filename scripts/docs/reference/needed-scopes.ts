import type { Operation } from '../../../src/platform/contract/contract.js';

/** The scopes that an operation needs, as lines of a list with a title: a scope each, or the scopes of an alternative each. */
export function neededScopes({ scopes, otherScopes }: Operation): {
  readonly title: string;
  readonly lines: readonly (readonly string[])[];
} {
  if (scopes === null || otherScopes.length === 0)
    return { title: 'Scopes', lines: (scopes ?? []).map((scope) => [scope]) };
  return { title: 'Scopes, those of one line', lines: [scopes, ...otherScopes] };
}
