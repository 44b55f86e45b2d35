-- Forms that were carried out, so that sending one again does not do it again.
CREATE TABLE submitted_forms (
  key bytea NOT NULL,
  result_id text COLLATE "C" NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT submitted_forms_pkey PRIMARY KEY (key)
);

CREATE INDEX submitted_forms_expires_at_idx ON submitted_forms (expires_at);

-- The audit log is read by kind of event as well; a rare kind must not cost a walk over all others.
CREATE INDEX audit_events_account_id_type_created_at_id_idx
  ON audit_events (account_id, type, created_at DESC, id);
