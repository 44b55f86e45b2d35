import { defineLookup } from '../../platform/database/hot/define-lookup.js';
import { allAccounts } from '../../platform/database/scope.js';

/**
 * Looks up the OAuth client with a `client_id`, and its secrets, as JSON. It reads all accounts, because the account is
 * not known yet.
 *
 * Benchmarks `token` (1.6 times oidc-provider) and `refresh`; compared with the models in
 * test/oauth/client-by-id.test.ts.
 */
export const clientById = defineLookup<string, 'client_id', string>({
  name: 'client_by_id',
  columns: { client_id: 'text' },
  request: (clientId) => ({ client_id: clientId }),
  sql: `
    SELECT json_build_object(
      'id', id, 'accountId', account_id, 'clientId', client_id, 'clientType', client_type, 'name', name,
      'redirectUris', redirect_uris, 'scopes', scopes, 'requireClientSecret', require_client_secret,
      'tokenGeneration', token_generation,
      'secrets', (SELECT coalesce(json_agg(json_build_object('id', secret.id, 'hash', encode(secret_hash, 'base64'))
                                           ORDER BY secret.id), '[]')
                  FROM application_secrets secret
                  WHERE secret.account_id = applications.account_id AND secret.application_id = applications.id))::text
    FROM applications WHERE applications.client_id = request.client_id`,
  toValue: ([json]) => json ?? '',
  scope: () => allAccounts,
  maximum: 200,
  atOnce: 2,
});
