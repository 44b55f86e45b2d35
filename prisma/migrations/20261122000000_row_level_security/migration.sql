-- A second barrier between accounts, below the conditions that every query has: a statement sees and writes rows of
-- the accounts that the setting app.accounts names, whatever it asks for. The setting is a list of account ids
-- separated by commas, or * for work that is of no account, such as housekeeping. Where it is not set there are no rows.
--
-- The owner of the tables is subject to the policies as well. Superusers and roles with BYPASSRLS never are: the
-- service takes the role people_api_tenant in their sessions, which has neither attribute and owns nothing. It is
-- made here, where the one who migrates may; a user who is bound by the policies anyway needs no other role.
--
-- How the policies are written:
-- - the setting is read in a subquery, once a statement and not once a row;
-- - beside OR, the comparison is nothing that an index is searched by, so that the conditions of the query itself go on to
--   choose the index; and at least half of the rows are estimated to pass, so that the plans stay as they were;
-- - in a comparison that an index is to be searched by, functions of columns have to be leakproof. Few are.

ALTER TABLE accounts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON accounts USING (
  (SELECT current_setting('app.accounts', true) = '*')
  OR id = ANY ((SELECT string_to_array(current_setting('app.accounts', true), ','))::text[]));

-- Tables that say whose their rows are.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['users', 'applications', 'employees', 'employee_counts', 'employee_facets', 'reports',
                              'account_totals', 'grants', 'audit_events'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format($policy$
      CREATE POLICY tenant ON %I USING (
        (SELECT current_setting('app.accounts', true) = '*')
        OR account_id = ANY ((SELECT string_to_array(current_setting('app.accounts', true), ','))::text[]))
      $policy$, name);
  END LOOP;
END $$;

-- Events about nobody's account, such as a sign-in with an unknown address, may be written down at any time.
CREATE POLICY nobody ON audit_events FOR INSERT WITH CHECK (account_id IS NULL);

-- Tables whose rows belong to a row of another one, which has its own policy.
DO $$
DECLARE
  name text;
  parent text;
  reference text;
BEGIN
  FOR name, parent, reference IN VALUES
    ('application_secrets', 'applications', 'application_id'), ('authorization_codes', 'applications', 'application_id'),
    ('idempotency_keys', 'applications', 'application_id'), ('refresh_tokens', 'grants', 'grant_id'),
    ('sessions', 'users', 'user_id')
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format($policy$
      CREATE POLICY tenant ON %1$I USING (
        (SELECT current_setting('app.accounts', true) = '*')
        OR EXISTS (SELECT FROM %2$I WHERE %2$I.id = %1$I.%3$I))
      $policy$, name, parent, reference);
  END LOOP;
END $$;

-- The role, for those whom policies do not bind. Roles are shared by all databases of a server: another may have made it.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)) THEN
    BEGIN
      CREATE ROLE people_api_tenant NOLOGIN;
    EXCEPTION
      WHEN duplicate_object OR unique_violation THEN NULL;
      WHEN insufficient_privilege THEN
        RAISE WARNING 'the role people_api_tenant could not be made: row-level security does not bind this user';
    END;
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'people_api_tenant') THEN
    IF NOT pg_has_role('people_api_tenant', 'MEMBER') THEN
      GRANT people_api_tenant TO CURRENT_USER;
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO people_api_tenant', current_schema());
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO people_api_tenant',
      current_schema());
    -- For the tables of later migrations.
    EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I
      GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO people_api_tenant', current_schema());
  END IF;
EXCEPTION
  -- Another user's role, for another database: this user is bound without it, or the service warns of it.
  WHEN insufficient_privilege THEN NULL;
END $$;
