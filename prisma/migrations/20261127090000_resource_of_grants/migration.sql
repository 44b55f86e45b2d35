-- The resource for which a grant issues tokens: the API or the endpoint of the Model Context Protocol. NULL in earlier grants, whose
-- tokens are accepted by both.
ALTER TABLE grants ADD COLUMN resource text COLLATE "C" CONSTRAINT grants_resource_check CHECK (resource IN ('api', 'mcp'));
ALTER TABLE authorization_codes
  ADD COLUMN resource text COLLATE "C" CONSTRAINT authorization_codes_resource_check CHECK (resource IN ('api', 'mcp'));
