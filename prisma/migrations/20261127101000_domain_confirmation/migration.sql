-- Random text of each account. A TXT record of a domain has it, to prove that the domain belongs to the account.
ALTER TABLE accounts
  ADD COLUMN domain_token text COLLATE "C" NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', '');

-- How a domain was confirmed. A TXT record is checked again at next_check_at; failed_days counts the days in a row on which it
-- was missing.
ALTER TABLE account_domains
  ADD COLUMN method text COLLATE "C" NOT NULL DEFAULT 'operator',
  ADD COLUMN next_check_at timestamptz(3),
  ADD COLUMN failed_days integer NOT NULL DEFAULT 0,
  ADD CONSTRAINT account_domains_method_check CHECK (method IN ('operator', 'dns')),
  ADD CONSTRAINT account_domains_next_check_at_check CHECK ((method = 'dns') = (next_check_at IS NOT NULL));

CREATE INDEX account_domains_next_check_at_idx ON account_domains (next_check_at);
