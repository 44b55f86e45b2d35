import { type Clock, epochSeconds } from '../../platform/clock.js';
import { randomId } from '../../platform/database/ids.js';
import { type SigningKeys, signingAlgorithm } from '../keys/signing-keys.js';
import { signCompact } from '../tokens/access-tokens.js';

/** The member of `events` that makes a token a logout token. */
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

/** Seconds for which a logout token is valid. */
const lifetimeSeconds = 120;

/** The end of a session, for one application. */
interface EndedSession {
  /** The user, as in ID tokens. */
  readonly subject: string;
  readonly sid: string;
  /** The public `client_id`, also of an installation. */
  readonly clientId: string;
}

/** Signs logout tokens. Their `typ` is neither that of access tokens nor of ID tokens. */
export class LogoutTokens {
  readonly #keys: SigningKeys;
  readonly #settings: { readonly issuer: string; readonly clock: Clock };

  constructor(keys: SigningKeys, settings: { readonly issuer: string; readonly clock: Clock }) {
    this.#keys = keys;
    this.#settings = settings;
  }

  /** @see OpenID Connect Back-Channel Logout 1.0 section 2.4 */
  issue({ subject, sid, clientId }: EndedSession): string {
    const { issuer, clock } = this.#settings;
    const { kid, privateKey } = this.#keys.current;
    const issuedAt = epochSeconds(clock);
    const claims = {
      iss: issuer,
      sub: subject,
      aud: clientId,
      iat: issuedAt,
      exp: issuedAt + lifetimeSeconds,
      jti: randomId(),
      events: { [logoutEvent]: {} },
      sid,
    };
    return signCompact({ alg: signingAlgorithm, typ: 'logout+jwt', kid }, claims, privateKey);
  }
}
