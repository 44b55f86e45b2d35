-- Responses with the secret of a webhook endpoint, whose body is encrypted.
ALTER TABLE idempotency_keys ADD COLUMN secret_of text COLLATE "C";

CREATE INDEX idempotency_keys_account_id_secret_of_idx ON idempotency_keys (account_id, secret_of) WHERE secret_of IS NOT NULL;
