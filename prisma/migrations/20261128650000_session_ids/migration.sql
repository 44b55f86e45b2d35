-- The `sid` of ID tokens: OpenID Connect Front-Channel Logout 1.0 section 3, Back-Channel Logout 1.0 section 2.1. Rows of earlier
-- versions do not have it.

-- Random. The id of the session is a secret of the browser, and applications know the sid.
ALTER TABLE sessions ADD COLUMN sid text COLLATE "C";

-- That of the session in which the user consented.
ALTER TABLE authorization_codes ADD COLUMN sid text COLLATE "C";

-- That of the code, for the ID tokens of refreshes.
ALTER TABLE grants ADD COLUMN sid text COLLATE "C";
