import { type AccountId, toAccountId } from '../../platform/accounts/account-id.js';
import type { Role } from '../../platform/accounts/user.js';
import type { Database } from '../../platform/database/client.js';
import type { Lookup } from '../../platform/database/hot/define-lookup.js';
import { parseScope } from '../scopes.js';
import { type TokenKey, type TokenOwner, tokenOwner } from './token-owner.js';

/** The claims of an access token that identify its grant or application. */
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
  /** Generation of the application now. It changes when all its access is revoked. */
  readonly generation: number;
}

/** Checks for every request that its access token is not revoked. */
export class TokenStatus {
  readonly #findOwner: Lookup<TokenKey, TokenOwner>;

  constructor(database: Database) {
    this.#findOwner = tokenOwner(database);
  }

  /**
   * Finds the application and the user of a token; `null` when the token is revoked, or its application, grant or user was
   * deleted or disabled. A token without a grant is revoked when its generation is not that of the application.
   */
  async find(claims: TokenReference): Promise<LiveToken | null> {
    const owner = await this.#findOwner(claims);
    return owner === null || !isOfGeneration(claims, owner) ? null : toLiveToken(owner);
  }
}

/** Tokens with a grant are revoked with the grant, so their generation is not compared. */
function isOfGeneration({ grantId, generation }: TokenReference, { tokenGeneration }: TokenOwner): boolean {
  return grantId !== null || generation === tokenGeneration;
}

function toLiveToken({
  accountId,
  applicationId,
  applicationScopes,
  tokenGeneration,
  userId,
  userRole,
}: TokenOwner): LiveToken {
  return {
    accountId: toAccountId(accountId),
    applicationId,
    user: userId === null ? null : { id: userId, role: userRole as Role },
    applicationScopes: parseScope(applicationScopes),
    generation: tokenGeneration,
  };
}
