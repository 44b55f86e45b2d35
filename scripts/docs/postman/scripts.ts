import type { Contract, Operation } from '../../../src/platform/contract/contract.js';
import { needsUser } from './authorization.js';

/** A script that Postman runs before a request or after its response. */
interface Script {
  readonly listen: 'prerequest' | 'test';
  readonly script: { readonly type: 'text/javascript'; readonly exec: readonly string[] };
}

/**
 * The scripts of a request, so that the requests can be sent one after the other: they store the token and the ids of
 * records for later requests, check the status, and skip a request whose record does not exist.
 *
 * @param ids variables with ids of records that the request contains
 */
export function scriptsOf(contract: Contract, operation: Operation, ids: readonly string[]): Script[] {
  const skipping = ids.map(
    (name) => `if (!pm.collectionVariables.get('${name}')) pm.execution.skipRequest();`,
  );
  const script = (listen: Script['listen'], exec: readonly string[]) => ({
    listen,
    script: { type: 'text/javascript' as const, exec },
  });
  return [
    ...(skipping.length > 0 ? [script('prerequest', skipping)] : []),
    script('test', [...checkOf(contract, operation), ...storageOf(contract, operation)]),
  ];
}

/** The status of a successful response. */
function successOf({ responses }: Operation): number {
  return Math.min(...responses.keys());
}

function checkOf(contract: Contract, operation: Operation): string[] {
  const success = successOf(operation);
  const expecting = (expected: string) => [
    `const expected = ${expected};`,
    "pm.test('The status is ' + expected.join(' or '), () => pm.expect(expected).to.include(pm.response.code));",
  ];
  // Postman has no session. An application without redirect URIs cannot ask for consent.
  if (operation.responses.has(302)) return expecting('[200, 302, 400]');
  if (operation.id === 'createPushedRequest') return expecting(`[${success}, 400]`);
  if (operation.scopes === null) return expecting(`[${success}]`);
  // A token of client credentials has no user.
  if (needsUser(contract, operation)) return expecting(`[${success}, 403]`);
  return [
    "const granted = (pm.collectionVariables.get('granted_scope') || '').split(' ');",
    `const sets = ${JSON.stringify([operation.scopes, ...operation.otherScopes])};`,
    'const permitted = sets.some((scopes) => scopes.every((scope) => granted.includes(scope)));',
    ...expecting(`permitted ? [${success}] : [${success}, 403]`),
  ];
}

/** Stores the token, or the id of the record that was created or, if records cannot be created, is the first of a list. */
function storageOf({ operations }: Contract, operation: Operation): string[] {
  const store = (name: string, value: string) => `pm.collectionVariables.set('${name}', ${value});`;
  const ok = `pm.response.code === ${successOf(operation)}`;
  if (operation.id === 'createToken') {
    return [
      `const token = ${ok} ? pm.response.json() : {};`,
      store('access_token', "token.access_token || ''"),
      store('granted_scope', "token.scope || ''"),
    ];
  }
  const { path, method } = operation;
  const all = [...operations.values()];
  const creates = all.some((other) => other.path === path && other.method === 'POST');
  if (method !== 'POST' && creates) return [];
  const member = all
    .map((other) => /^(.*)\/\{(\w+)\}$/.exec(other.path))
    .find((found) => found?.[1] === path);
  if (member?.[2] === undefined) return [];
  const id = method === 'POST' ? 'data.id' : 'data[0]?.id';
  return [store(member[2], `(${ok} && pm.response.json().${id}) || ''`)];
}
