import type { CryptoKeyPair } from 'oauth4webapi';

/** How a client authenticates at the token, introspection and revocation endpoints. */
export type Credentials =
  | { readonly method: 'none' }
  | { readonly method: 'client_secret_basic'; readonly clientSecret: string }
  | { readonly method: 'private_key_jwt'; readonly key: CryptoKey; readonly kid: string };

/** The configuration of an application that signs users in. */
export interface RelyingPartySettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly credentials: Credentials;
  /** Key of the proofs, when the tokens are bound to it. */
  readonly proofKeys?: CryptoKeyPair;
}

/** Tokens, and the claims of an ID token that the library has validated. */
export interface SignedIn {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly tokenType: string;
  readonly idToken: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface BeginOptions {
  /** Whether the library pushes the request. */
  readonly pushed?: boolean;
  /** Parameters of the request. The library compares `auth_time` with `max_age`. */
  readonly parameters?: Readonly<Record<string, string>>;
}

export interface Begun {
  readonly url: URL;
  finish(callback: URL): Promise<SignedIn>;
}

/** An application that signs users in with a library. Every function throws when the library rejects the response. */
export interface RelyingParty {
  /** The authorization request, and the function that validates its response and exchanges the code. */
  begin(scope: string, options?: BeginOptions): Promise<Begun>;
  refresh(refreshToken: string): Promise<SignedIn>;
  /** The claims of the user, after the library has compared `sub`. */
  userInfo(accessToken: string, subject: string): Promise<Readonly<Record<string, unknown>>>;
  clientCredentials(scope: string): Promise<{ readonly accessToken: string; readonly tokenType: string }>;
  introspect(token: string): Promise<Readonly<Record<string, unknown>>>;
  revoke(token: string): Promise<void>;
  get(url: URL, accessToken: string): Promise<Response>;
  /** The address at which the user signs out of the server. */
  endSessionUrl(parameters: Readonly<Record<string, string>>): URL;
}

export interface RelyingPartyLibrary {
  readonly name: string;
  /** Reads `/.well-known/openid-configuration`. */
  connect(settings: RelyingPartySettings): Promise<RelyingParty>;
}
