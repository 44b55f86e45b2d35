-- OpenID Connect: an ID token says how and when the user signed in. Rows of earlier versions do not have it.

-- How the user has proved the identity in the session: 'password', 'passkey', 'authenticator app', 'recovery code' or
-- 'single sign-on', each once.
ALTER TABLE sessions ADD COLUMN methods text[] NOT NULL DEFAULT '{}';

-- Those of the session in which the user consented, at that time.
ALTER TABLE authorization_codes
  ADD COLUMN nonce text COLLATE "C",
  ADD COLUMN authenticated_at timestamptz(3),
  ADD COLUMN methods text[] NOT NULL DEFAULT '{}';

-- Those of the code, for the ID tokens of refreshes.
ALTER TABLE grants
  ADD COLUMN authenticated_at timestamptz(3),
  ADD COLUMN methods text[] NOT NULL DEFAULT '{}';
