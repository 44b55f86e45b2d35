declare const brand: unique symbol;

/**
 * Id of the account that a query is scoped to. The type is branded, so that a query without an account id, or with another
 * string, does not compile.
 */
export type AccountId = string & { readonly [brand]: 'AccountId' };

/** Casts a string to an account id. The string must come from a verified token, a session or a stored row. */
export function toAccountId(id: string): AccountId {
  return id as AccountId;
}
