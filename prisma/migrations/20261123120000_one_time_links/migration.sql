-- Links that are sent to an e-mail address and can be used once: invitations, new passwords, and changed addresses.
CREATE TABLE one_time_links (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  -- SHA-256.
  token_hash bytea NOT NULL,
  purpose text COLLATE "C" NOT NULL,
  -- The user that the link is for. An invitation has none.
  user_id text COLLATE "C",
  -- The address that the link proves: of the invitation, of the user, or the new one.
  email text COLLATE "C" NOT NULL,
  -- The role of an invited user.
  role text COLLATE "C",
  -- Absent for a forgotten password. The user may have been deleted.
  created_by_id text COLLATE "C",
  -- Whether the link was sent by mail, and shown to no other user.
  mailed boolean NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  CONSTRAINT one_time_links_pkey PRIMARY KEY (account_id, id)
);

CREATE UNIQUE INDEX one_time_links_token_hash_key ON one_time_links (token_hash);
CREATE INDEX one_time_links_account_id_user_id_idx ON one_time_links (account_id, user_id);
CREATE INDEX one_time_links_expires_at_idx ON one_time_links (expires_at);

ALTER TABLE one_time_links
  ADD CONSTRAINT one_time_links_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  ADD CONSTRAINT one_time_links_account_id_user_id_fkey
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT one_time_links_purpose_check CHECK (
    CASE purpose
      WHEN 'invitation' THEN user_id IS NULL AND role IS NOT NULL
      WHEN 'password' THEN user_id IS NOT NULL AND role IS NULL
      WHEN 'email' THEN user_id IS NOT NULL AND role IS NULL
      ELSE false
    END),
  ADD CONSTRAINT one_time_links_role_check CHECK (role IN ('owner', 'admin', 'member')),
  ADD CONSTRAINT one_time_links_email_check CHECK (email = lower(email));

ALTER TABLE one_time_links ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON one_time_links USING (
  CASE current_setting('app.accounts', true)
    WHEN account_id THEN true
    WHEN '*' THEN true
    ELSE account_id = ANY (string_to_array(current_setting('app.accounts', true), ','))
  END);

-- When the user of a session last entered the password. Sessions of earlier versions have to enter it again.
ALTER TABLE sessions ADD COLUMN authenticated_at timestamptz(3) NOT NULL DEFAULT '1970-01-01T00:00:00Z';

ALTER TABLE users ADD COLUMN last_sign_in_at timestamptz(3);

-- The list of users is ordered by e-mail address.
CREATE INDEX users_account_id_email_idx ON users (account_id, email);
