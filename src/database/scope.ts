import { AsyncLocalStorage } from 'node:async_hooks';

declare const brand: unique symbol;

/** Whose rows a statement may touch, in the words of the database's policies (`app.accounts`). */
export type Scope = string & { readonly [brand]: 'Scope' };

/** No account's. */
export const noAccount = '' as Scope;

/** Every account's: for the operator, housekeeping, and what is looked up before it is known whose it is. */
export const allAccounts = '*' as Scope;

const ambient = new AsyncLocalStorage<Scope>();

/**
 * The rows of these accounts.
 *
 * @throws {RangeError} for a text that cannot be the id of an account
 */
export function accountScope(...accountIds: readonly string[]): Scope {
  const ids = accountIds.length < 2 ? accountIds : [...new Set(accountIds)];
  for (const id of ids) if (!accountId.test(id)) throw new RangeError('This is not the id of an account');
  return ids.join(',') as Scope;
}

const accountId = /^\w[\w-]*$/;

/** Pieces of work with a scope that are being done. */
let underWay = 0;

/**
 * Does work whose statements touch these rows only, unless they are given a scope of their own.
 *
 * While any such work is done, each promise of the process costs more in Node.js 20 and 22. Hot statements are given their
 * scope instead.
 */
export async function withScope<Result>(scope: Scope, work: () => Promise<Result> | Result): Promise<Result> {
  underWay += 1;
  try {
    // Prisma starts its work when it is awaited: that has to be in here.
    return await ambient.run(scope, async () => await work());
  } finally {
    underWay -= 1;
    // What continues beyond its end has the default scope.
    if (underWay === 0) ambient.disable();
  }
}

/** The scope of the work that is being done, or the one given when there is none. */
export function currentScope(defaultScope: Scope): Scope {
  return ambient.getStore() ?? defaultScope;
}
