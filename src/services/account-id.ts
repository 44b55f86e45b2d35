declare const brand: unique symbol;

/**
 * Id of the account whose rows a query may touch. Every tenant-scoped query demands one, so that a query which
 * forgets the account, or passes some other string, does not compile.
 */
export type AccountId = string & { readonly [brand]: 'AccountId' };

/** Marks an id as an account's. Call it only where the id comes from a checked token, session or stored row. */
export function toAccountId(id: string): AccountId {
  return id as AccountId;
}
