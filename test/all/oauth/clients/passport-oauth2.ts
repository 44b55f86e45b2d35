import OAuth2Strategy from 'passport-oauth2';
import {
  basicAuthorization,
  type ClientLibrary,
  type ClientSettings,
  call,
  type OAuthClient,
  Refusal,
  type Tokens,
} from '../oauth-clients.js';

/** Signs users in. For other requests, applications use the client of the strategy, and so do these tests. */
export const passportOAuth2: ClientLibrary = {
  name: 'passport-oauth2',

  async connect(settings: ClientSettings): Promise<OAuthClient> {
    const strategy = new Strategy(settings);
    return {
      clientCredentials: (scope) => strategy.exchange('', { grant_type: 'client_credentials', scope }),

      async beginAuthorization(scope) {
        const session = {};
        const { redirect } = await authenticate(strategy, { session, query: {} }, { scope });
        return {
          url: new URL(redirect ?? ''),
          async finish({ searchParams }) {
            // The strategy deletes its state when it is used, so a repetition starts from a copy of the session.
            const request = { session: structuredClone(session), query: Object.fromEntries(searchParams) };
            const { user } = await authenticate(strategy, request);
            return user as Tokens;
          },
        };
      },

      refresh: (refreshToken) => strategy.exchange(refreshToken, { grant_type: 'refresh_token' }),

      async revoke(token, kind) {
        const { clientId: client_id, clientSecret: client_secret, method } = settings;
        await call(new URL('/v1/oauth/revoke', settings.issuer), {
          method: 'POST',
          headers: method === 'client_secret_basic' ? { authorization: basicAuthorization(settings) } : {},
          body: new URLSearchParams({
            token,
            token_type_hint: kind,
            ...(method === 'none' && { client_id }),
            ...(method === 'client_secret_post' && { client_id, client_secret }),
          }),
        });
      },

      get: (url, accessToken) => strategy.get(url, accessToken),

      codeOf(error) {
        const { code, data } = error as { code?: string; data?: string };
        return code ?? JSON.parse(data ?? '').code;
      },
    };
  },
};

class Strategy extends OAuth2Strategy {
  constructor(settings: ClientSettings) {
    const { issuer, clientId, clientSecret, method, redirectUri } = settings;
    const basic = method === 'client_secret_basic';
    super(
      {
        authorizationURL: `${issuer}/v1/oauth/authorize`,
        tokenURL: `${issuer}/v1/oauth/token`,
        clientID: clientId,
        // The library always sends the field; an empty one counts as omitted.
        clientSecret: method === 'client_secret_post' ? clientSecret : '',
        ...(basic && { customHeaders: { Authorization: basicAuthorization(settings) } }),
        callbackURL: redirectUri,
        state: true,
        pkce: true,
      },
      (
        access_token: string,
        refresh_token: string,
        results: object,
        _profile: unknown,
        done: OAuth2Strategy.VerifyCallback,
      ) => done(null, { ...results, access_token, refresh_token }),
    );
    this._oauth2.useAuthorizationHeaderforGET(true);
  }

  exchange(codeOrToken: string, parameters: Record<string, string>): Promise<Tokens> {
    return new Promise((resolve, reject) => {
      this._oauth2.getOAuthAccessToken(
        codeOrToken,
        { ...parameters },
        (error, access_token, refresh_token, results) => {
          if (error) reject('data' in error ? this.parseErrorResponse(error.data, error.statusCode) : error);
          else resolve({ ...results, access_token, refresh_token });
        },
      );
    });
  }

  get(url: URL, accessToken: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this._oauth2.get(url.href, accessToken, (error, data) => {
        if (error) reject(error);
        else resolve(JSON.parse(String(data)));
      });
    });
  }
}

interface Outcome {
  readonly redirect?: string;
  readonly user?: unknown;
}

/** As passport does for each request: gives the strategy an object to which it reports the outcome. */
function authenticate(
  strategy: Strategy,
  request: { readonly session: object; readonly query: object },
  options?: { readonly scope: string },
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const acting: Strategy = Object.assign(Object.create(strategy), {
      redirect: (redirect: string) => resolve({ redirect }),
      success: (user: unknown) => resolve({ user }),
      // Passport-oauth2 reports only access_denied, without a status, as a failed sign-in.
      fail: (challenge: { message: string }, status?: number) =>
        reject(status === undefined ? new Refusal('access_denied') : new Error(challenge.message)),
      error: reject,
    });
    acting.authenticate(request as unknown as Parameters<Strategy['authenticate']>[0], options);
  });
}
