-- Whether every token request of an application must have a DPoP proof (RFC 9449).
ALTER TABLE applications ADD COLUMN require_proof_of_possession boolean NOT NULL DEFAULT false;

-- The thumbprint of the key with which the code or refresh token must be used (RFC 7638). NULL: without a key, or with any.
ALTER TABLE authorization_codes ADD COLUMN dpop_jkt text COLLATE "C";
ALTER TABLE refresh_tokens ADD COLUMN dpop_jkt text COLLATE "C";

-- DPoP proofs that were used, until they are rejected without this row. Every request with a proof writes it, and a proof is
-- valid for minutes, so it is unlogged. The table belongs to no account. On Citus it stays on the coordinator.
CREATE UNLOGGED TABLE used_proofs (
  proof_hash bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT used_proofs_pkey PRIMARY KEY (proof_hash)
);

CREATE INDEX used_proofs_expires_at_idx ON used_proofs (expires_at);
