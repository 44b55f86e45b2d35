import type { AccountId } from '../services/account-id.js';

/** Who calls the API: an application, on its own behalf or on that of a user. */
export interface Principal {
  /** The only account whose records the caller may touch. */
  readonly accountId: AccountId;
  readonly applicationId: string;
  readonly clientId: string;
  /** Absent for a token of the client credentials grant. */
  readonly userId: string | null;
  /** Scopes of the token that the application is still configured with. */
  readonly scopes: ReadonlySet<string>;
  readonly tokenId: string;
}
