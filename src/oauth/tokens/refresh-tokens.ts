import type { Role } from '../../platform/accounts/user.js';
import type { Core } from '../../platform/core.js';
import { createBatcher, createDeadlineQueue } from '../../platform/database/batcher.js';
import { RowsLockedError } from '../../platform/database/database-errors.js';
import { accountScope, allAccounts, withScope } from '../../platform/database/scope.js';
import type { Application } from '../clients/client-registry.js';
import type { Grants, UsedGrant } from '../grants/grants.js';
import type { Resource } from '../resources.js';
import {
  type RotationOutcome,
  type RotationRequest,
  rotateLocked,
  rotateTogether,
} from './refresh-token-rotation.js';

/** A refresh token with its grant and user. */
export interface StoredToken {
  readonly grantId: string;
  readonly userId: string;
  /** Scopes of the grant now. */
  readonly scopes: readonly string[];
  readonly resource: Resource | null;
  /** Thumbprint of the key that the token is bound to; `null` for none. */
  readonly dpopJkt: string | null;
  readonly usedAt: Date | null;
  /** Whether the token that replaced this one was used; `null` for tokens of versions that did not store it. */
  readonly successorUsed: boolean | null;
  /** Whether the token is unexpired, the grant is not revoked and the user is enabled. */
  readonly usable: boolean;
  readonly role: Role;
}

/** The grant that a refresh token belongs to. */
interface TokenGrant {
  readonly id: string;
  readonly accountId: string;
  readonly applicationId: string;
  readonly userId: string;
}

/**
 * The refresh tokens of grants. Every use replaces the token. One statement consumes the tokens of several requests and
 * stores their successors and the audit events. Of concurrent uses of a token exactly one succeeds.
 *
 * The statement skips locked rows. Their requests are queued with a low concurrency limit. Otherwise the tokens of an
 * application that is being deleted could take all connections.
 */
export class RefreshTokens {
  readonly #core: Core;
  readonly #grants: Grants;
  readonly #rotate: (request: RotationRequest) => Promise<RotationOutcome>;
  readonly #rotateLocked: (request: RotationRequest, timeoutError: Error) => Promise<UsedGrant | undefined>;

  constructor(core: Core, grants: Grants) {
    this.#core = core;
    this.#grants = grants;
    this.#rotate = createBatcher((requests) => rotateTogether(core, requests), {
      maxBatchSize: 50,
      concurrency: 2,
    });
    this.#rotateLocked = createDeadlineQueue((request) => rotateLocked(core, request));
  }

  /**
   * Replaces a token.
   *
   * @returns `undefined` when the token cannot be used, or not for the requested scopes; nothing is changed then
   * @throws {RowsLockedError} when the token stays locked for longer than ten seconds
   */
  async rotate(request: RotationRequest): Promise<UsedGrant | undefined> {
    const outcome = await this.#rotate(request);
    if (outcome !== 'locked') return outcome;
    return this.#rotateLocked(request, new RowsLockedError('The refresh token is locked.'));
  }

  /**
   * Reads a token of the application that {@link rotate} rejected, and audits its reuse. While its successor is unused, the
   * client may have lost the response, and nothing changes. After the successor was used, one of two holders has stolen
   * the token, and the grant is revoked.
   *
   * @returns `undefined` when the application has no such token
   */
  readRejected({
    tokenHash,
    application,
    origin,
  }: Pick<RotationRequest, 'tokenHash' | 'application' | 'origin'>): Promise<StoredToken | undefined> {
    return withScope(accountScope(application.accountId), async () => {
      const { clock, auditLog, config } = this.#core;
      const token = await this.#find(tokenHash, application);
      if (token === undefined || token.usedAt === null) return token;
      const at = clock();
      const inLeeway = at.getTime() - token.usedAt.getTime() <= config.replayLeewaySeconds * 1000;
      const { grantId, userId } = token;
      const event = { accountId: application.accountId, applicationId: application.id, userId, origin };
      if (!(token.successorUsed ?? !inLeeway)) {
        if (token.usable)
          await auditLog.record({ type: 'refresh_token.reused', ...event, details: { grant: grantId } });
        return token;
      }
      await this.#grants.revoke({ grantId, at, event: { type: 'refresh_token.replayed', ...event } });
      return token;
    });
  }

  /** Finds the grant of a refresh token in any account. The response to a token of another application is an error. */
  async findGrant(tokenHash: Buffer<ArrayBuffer>): Promise<TokenGrant | undefined> {
    const [grant] = await withScope(
      allAccounts,
      () => this.#core.database.prisma.$queryRaw<TokenGrant[]>`
        SELECT grants.id, grants.account_id AS "accountId", grants.application_id AS "applicationId",
               grants.user_id AS "userId"
        FROM refresh_tokens token
          JOIN grants ON grants.account_id = token.account_id AND grants.id = token.grant_id
        WHERE token.token_hash = ${tokenHash}`,
    );
    return grant;
  }

  /** Finds the grant and the user by their primary keys, as `usableToken` of `refresh-token-rotation.ts` does. */
  async #find(
    tokenHash: Buffer,
    { id: applicationId, accountId }: Application,
  ): Promise<StoredToken | undefined> {
    const [token] = await this.#core.database.prisma.$queryRaw<StoredToken[]>`
      SELECT grants.id AS "grantId", grants.user_id AS "userId", grants.scopes, grants.resource,
             token.dpop_jkt AS "dpopJkt", token.used_at AS "usedAt", users.role,
             token.expires_at > ${this.#core.clock()} AND grants.revoked_at IS NULL AND users.disabled_at IS NULL
               AS usable,
             CASE WHEN token.successor_hash IS NOT NULL THEN successor.used_at IS NOT NULL END AS "successorUsed"
      FROM refresh_tokens token
        JOIN grants ON grants.account_id = token.account_id AND grants.id = token.grant_id
        CROSS JOIN LATERAL (
          SELECT role, disabled_at FROM users
          WHERE users.account_id = grants.account_id AND users.id = grants.user_id OFFSET 0
        ) users
        LEFT JOIN refresh_tokens successor
          ON successor.token_hash = token.successor_hash AND successor.account_id = token.account_id
      WHERE token.token_hash = ${tokenHash}
        AND (grants.account_id, grants.application_id) IS NOT DISTINCT FROM (${accountId}, ${applicationId})`;
    return token;
  }
}
