import type { Database } from '../../database/client.js';
import type { Lookup } from '../../database/hot/define-lookup.js';
import { type TokenKey, type TokenOwner, tokenOwner } from '../../database/hot/token-owner.js';
import { type AccountId, toAccountId } from '../account-id.js';
import { parseScope } from '../scopes.js';
import type { Role } from '../user.js';

/** What an access token says about its origin. */
export interface TokenReference extends TokenKey {
  /** Generation of the application when the token was issued. */
  readonly generation: number;
}

/** The application and the user of a valid token. */
export interface LiveToken {
  readonly accountId: AccountId;
  readonly applicationId: string;
  readonly user: { readonly id: string; readonly role: Role } | null;
  /** Scopes that the application is configured with now, which may be fewer than when the token was issued. */
  readonly applicationScopes: readonly string[];
}

/** Reads for every request whether its token may be used. */
export class TokenStatus {
  readonly #findOwner: Lookup<TokenKey, TokenOwner>;

  constructor(database: Database) {
    this.#findOwner = tokenOwner(database);
  }

  /**
   * `null` when the token was revoked, or its application, grant or user is gone. A token without a grant is revoked when
   * it names an earlier generation than its application has.
   */
  async find(claims: TokenReference): Promise<LiveToken | null> {
    const owner = await this.#findOwner(claims);
    return owner === null || !isOfGeneration(claims, owner) ? null : toLiveToken(owner);
  }
}

/** A token with a grant is revoked through the grant: its generation does not matter. */
function isOfGeneration({ grantId, generation }: TokenReference, { tokenGeneration }: TokenOwner): boolean {
  return grantId !== null || generation === tokenGeneration;
}

function toLiveToken({
  accountId,
  applicationId,
  applicationScopes,
  userId,
  userRole,
}: TokenOwner): LiveToken {
  return {
    accountId: toAccountId(accountId),
    applicationId,
    user: userId === null ? null : { id: userId, role: userRole as Role },
    applicationScopes: parseScope(applicationScopes),
  };
}
