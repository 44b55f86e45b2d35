-- Failed sign-ins and client authentications, counted for all processes together.
CREATE TABLE failure_counts (
  key text COLLATE "C" NOT NULL,
  points integer NOT NULL,
  expire timestamptz(3),
  CONSTRAINT failure_counts_pkey PRIMARY KEY (key)
);

CREATE INDEX failure_counts_expire_idx ON failure_counts (expire);

-- The audit log is pruned by age, whatever the account.
CREATE INDEX audit_events_created_at_idx ON audit_events (created_at);
