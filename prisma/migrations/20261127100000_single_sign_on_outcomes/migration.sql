-- Whether the user only tests the identity provider: nothing is changed when the user returns. The session that has started
-- the test is in session_hash.
ALTER TABLE sign_in_requests
  ADD COLUMN test boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT sign_in_requests_test_check CHECK (NOT test OR session_hash IS NOT NULL);

-- The last sign-in with the identity provider that succeeded, and the last one that failed because of it or its claims. The
-- failure has its reason, the name of a claim, and an error code, and no values of claims.
ALTER TABLE identity_providers
  ADD COLUMN last_success_at timestamptz(3),
  ADD COLUMN last_failure_at timestamptz(3),
  ADD COLUMN last_failure jsonb,
  ADD CONSTRAINT identity_providers_last_failure_check
    CHECK ((last_failure IS NULL) = (last_failure_at IS NULL) AND octet_length(last_failure::text) <= 1000);
