import { AsyncLocalStorage } from 'node:async_hooks';

declare const brand: unique symbol;

/** The accounts whose rows a statement may read and write, as the value of the setting `app.accounts`. */
export type TenantScope = string & { readonly [brand]: 'TenantScope' };

/** Scope without accounts. */
export const noAccount = '' as TenantScope;

/** Scope of all accounts: for the operator, housekeeping, and lookups before the account is known. */
export const allAccounts = '*' as TenantScope;

/** The scope of a call of {@link withScope}, until it ends. */
interface AmbientScope {
  readonly scope: TenantScope;
  hasEnded: boolean;
}

const ambient = new AsyncLocalStorage<AmbientScope>();

/**
 * Returns the scope of these accounts.
 *
 * @throws {RangeError} for a string that is not the id of an account
 */
export function accountScope(...accountIds: readonly string[]): TenantScope {
  const ids = accountIds.length < 2 ? accountIds : [...new Set(accountIds)];
  for (const id of ids) if (!accountId.test(id)) throw new RangeError('This is not the id of an account');
  return ids.join(',') as TenantScope;
}

const accountId = /^\w[\w-]*$/;

/** Number of running calls of {@link withScope}. */
let running = 0;

/**
 * Runs work in a scope. Statements with their own scope ignore it.
 *
 * While it runs, each promise of the process costs more in Node.js 20 and 22. Prepared statements get their scope as a parameter
 * instead.
 */
export async function withScope<Result>(
  scope: TenantScope,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  running += 1;
  const own = { scope, hasEnded: false };
  try {
    // A Prisma query starts when it is awaited, which must happen inside of `run`.
    return await ambient.run(own, async () => await work());
  } finally {
    running -= 1;
    // Work that continues afterwards has the default scope.
    own.hasEnded = true;
    if (running === 0) ambient.disable();
  }
}

/** Returns the scope of {@link withScope}, or the default outside of it. */
export function currentScope(defaultScope: TenantScope): TenantScope {
  const current = ambient.getStore();
  return current === undefined || current.hasEnded ? defaultScope : current.scope;
}
