import type { Clock } from '../../clock.js';
import type { components } from '../../contract/generated.js';
import type { Application } from '../../services/applications/client-registry.js';
import type { AuditLog, AuditOrigin } from '../../services/audit-log.js';
import type { AuthorizationCodes } from '../../services/grants/authorization-codes.js';
import type { RefreshTokens } from '../../services/tokens/refresh-tokens.js';
import type { AccessTokens } from '../access-tokens.js';
import type { ClientCredentials } from '../credentials.js';

export type TokenForm = components['schemas']['TokenRequest'];
export type TokenResponse = components['schemas']['TokenResponse'];

/** What a grant works with besides the request itself. */
export interface GrantContext {
  readonly codes: AuthorizationCodes;
  readonly refreshTokens: RefreshTokens;
  readonly accessTokens: AccessTokens;
  readonly auditLog: AuditLog;
  readonly clock: Clock;
  readonly refreshTokenTtlSeconds: number;
  /** How long a replay is a retry and not theft, unless the token that the first use gave was used meanwhile. */
  readonly replayLeewaySeconds: number;
}

export interface GrantRequest {
  readonly form: TokenForm;
  readonly credentials: ClientCredentials;
  readonly application: Application;
  readonly origin: AuditOrigin;
}

/** One way to get tokens. */
export interface Grant {
  /** Value of `grant_type` that asks for it. */
  readonly type: string;
  /** Form parameters that it cannot do without, besides those of client authentication. */
  readonly requires: readonly (keyof TokenForm)[];
  handle(request: GrantRequest, context: GrantContext): Promise<TokenResponse>;
}
