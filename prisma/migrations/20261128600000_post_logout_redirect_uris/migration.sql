-- Where a browser may be sent after an application has signed its user out (OpenID Connect RP-Initiated Logout 1.0).
ALTER TABLE applications ADD COLUMN post_logout_redirect_uris text[] NOT NULL DEFAULT '{}';
