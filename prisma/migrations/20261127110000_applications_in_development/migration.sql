-- Applications in development can have redirect URIs on http://localhost. An account can forbid them.
ALTER TABLE accounts ADD COLUMN development_allowed boolean NOT NULL DEFAULT true;
ALTER TABLE applications ADD COLUMN in_development boolean NOT NULL DEFAULT false;

-- Earlier versions accepted such URIs outside production. Row-level security applies to the owner of the table too, so the scope is
-- all accounts.
DO $$
DECLARE
  scope text := coalesce(current_setting('app.accounts', true), '');
BEGIN
  PERFORM set_config('app.accounts', '*', true);
  UPDATE applications SET in_development = true
  WHERE EXISTS (SELECT FROM unnest(redirect_uris) AS uri WHERE uri ~* '^http://');
  PERFORM set_config('app.accounts', scope, true);
END $$;
