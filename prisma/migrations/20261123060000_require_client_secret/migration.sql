-- Whether a confidential application must send its secret with every token request. It is false for the applications that
-- exist: they may omit it with codes and refresh tokens.
ALTER TABLE applications ADD COLUMN require_client_secret boolean NOT NULL DEFAULT false;
