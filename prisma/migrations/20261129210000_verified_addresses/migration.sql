-- Whether addresses of confirmed domains are accepted without the claim email_verified.
ALTER TABLE identity_providers ADD COLUMN addresses_verified boolean NOT NULL DEFAULT false;
