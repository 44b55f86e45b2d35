-- Which refresh token replaced a token that was used: a second use soon after the first is a retry as long as its
-- successor is unused, and theft afterwards. NULL for tokens that are unused or were used before this migration.
ALTER TABLE refresh_tokens ADD COLUMN successor_hash bytea;
