-- Access tokens of the client credentials grant name the generation that their application had when they were issued.
-- Raising it revokes all of them at once. Tokens from before this migration name none, which is generation 0.
ALTER TABLE applications ADD COLUMN token_generation integer NOT NULL DEFAULT 0;
