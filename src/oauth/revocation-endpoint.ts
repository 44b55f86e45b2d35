import type { Clock } from '../clock.js';
import type { components } from '../contract/generated.js';
import type { Database } from '../database/client.js';
import { accountScope, allAccounts, withScope } from '../database/scope.js';
import { Problem } from '../problems/problem.js';
import type { Application } from '../services/applications/client-registry.js';
import { type AuditEvent, type AuditOrigin, recordIn } from '../services/audit-log.js';
import { revokeGrant } from '../services/grants.js';
import type { AccessTokens } from './access-tokens.js';
import type { ClientAuthentication } from './client-authentication.js';
import type { ClientCall } from './client-call.js';
import { readClientCredentials } from './credentials.js';
import { hashOpaqueToken } from './opaque-token.js';
import { requireParameter } from './parameters.js';

type RevocationForm = components['schemas']['TokenRevocationRequest'];

interface Dependencies {
  readonly database: Database;
  readonly clientAuthentication: ClientAuthentication;
  readonly accessTokens: AccessTokens;
  readonly clock: Clock;
}

/** The grant that a refresh token belongs to. */
interface TokenGrant {
  readonly id: string;
  readonly applicationId: string;
  readonly userId: string;
}

/** Ends tokens before their time, for the application that they were issued to. @see RFC 7009 */
export class RevocationEndpoint {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Revokes a token. A refresh token, current or superseded, takes its whole grant with it; an access token only
   * itself. One that is unknown or expired is as good as revoked.
   *
   * @throws {Problem} 400 `invalid_request`, 401 `invalid_client`, 400 `unauthorized_client` for the token of
   *   another application, 429 `rate_limit_exceeded`
   */
  async revoke(form: RevocationForm, call: ClientCall): Promise<void> {
    const { origin } = call;
    const token = requireParameter('token', form.token);
    const credentials = readClientCredentials(form, call.authorization);
    const application = await this.#dependencies.clientAuthentication.identify(credentials, call);
    if (application.clientType === 'confidential')
      requireParameter('client_secret', credentials.clientSecret);
    // A token is recognised by itself, so token_type_hint would only save a lookup.
    await withScope(accountScope(application.accountId), async () => {
      if (await this.#revokeRefreshToken(token, application, origin)) return;
      await this.#revokeAccessToken(token, application, origin);
    });
  }

  async #revokeRefreshToken(value: string, application: Application, origin: AuditOrigin): Promise<boolean> {
    const { database, clock } = this.#dependencies;
    const tokenHash = hashOpaqueToken(value);
    // Whose token it is, is only now found out: another account's application has to be told that it is not its own.
    const [grant] = await withScope(
      allAccounts,
      () => database.prisma.$queryRaw<TokenGrant[]>`
        SELECT grants.id, grants.application_id AS "applicationId", grants.user_id AS "userId"
        FROM refresh_tokens token JOIN grants ON grants.id = token.grant_id
        WHERE token.token_hash = ${tokenHash}`,
    );
    if (grant === undefined) return false;
    if (grant.applicationId !== application.id) throw anothersToken();
    await revokeGrant(database, {
      grantId: grant.id,
      at: clock(),
      event: {
        type: 'grant.revoked',
        accountId: application.accountId,
        applicationId: application.id,
        userId: grant.userId,
        origin,
      },
    });
    return true;
  }

  async #revokeAccessToken(value: string, application: Application, origin: AuditOrigin): Promise<void> {
    const { database, accessTokens, clock } = this.#dependencies;
    const claims = await accessTokens.verify(value).catch((error) => {
      if (error instanceof Problem) return null;
      throw error;
    });
    if (claims === null) return;
    if (claims.clientId !== application.clientId) throw anothersToken();
    const event: AuditEvent = {
      type: 'token.revoked',
      accountId: application.accountId,
      applicationId: application.id,
      userId: claims.grantId === null ? null : claims.subject,
      origin,
    };
    await database.prisma.$transaction(async (tx) => {
      const { count } = await tx.revokedAccessToken.createMany({
        data: [{ jti: claims.tokenId, expiresAt: new Date(claims.expiresAt * 1000) }],
        skipDuplicates: true,
      });
      if (count > 0) await recordIn(tx, event, clock());
    });
  }
}

function anothersToken(): Problem {
  return new Problem('unauthorized_client', 'The token was issued to another application.');
}
