// Generated from openapi/v1.yaml by scripts/generate-values.mjs. Do not edit.

/** Values of `ProblemCode` in the contract. */
export type ProblemCode =
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce'
  | 'unsupported_grant_type'
  | 'unauthorized_client'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized'
  | 'invalid_token'
  | 'token_expired'
  | 'insufficient_scope'
  | 'confidential_application_required'
  | 'user_context_required'
  | 'access_denied'
  | 'not_found'
  | 'public-api-not-found'
  | 'not_acceptable'
  | 'request_timeout'
  | 'idempotency_key_in_use'
  | 'quota_exceeded'
  | 'events_expired'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'idempotency_key_reused'
  | 'rate_limit_exceeded'
  | 'request_header_fields_too_large'
  | 'internal_error'
  | 'service_unavailable';

/** Values of `ProblemItemCode` in the contract. */
export type ProblemItemCode =
  | 'required'
  | 'unknown'
  | 'type'
  | 'format'
  | 'too_short'
  | 'too_long'
  | 'out_of_range'
  | 'not_allowed'
  | 'conflict';

/** Values of `ScopeName` in the contract. */
export type ScopeName =
  | 'reports:read'
  | 'reports:write'
  | 'employees:read'
  | 'user:read'
  | 'user:write'
  | 'webhooks:read'
  | 'webhooks:write'
  | 'openid'
  | 'profile'
  | 'email'
  | 'phone';

/** Operations without a bearer token. */
export type PublicOperation =
  | 'createToken'
  | 'authorize'
  | 'getLogout'
  | 'revokeToken'
  | 'introspectToken'
  | 'createPushedRequest'
  | 'getAuthorizationServerMetadata'
  | 'getOpenIdConfiguration'
  | 'getJsonWebKeySet';

/** Attributes of `EmployeeAttributes` in the contract, in the same order. `type` is the type of the column. */
export const employeeAttributes = [
  { name: 'employee_number', type: 'text', nullable: false, required: true, restrictable: false },
  { name: 'first_name', type: 'text', nullable: false, required: false, restrictable: false },
  { name: 'last_name', type: 'text', nullable: false, required: false, restrictable: false },
  { name: 'email', type: 'text', nullable: false, required: false, restrictable: false },
  { name: 'status', type: 'text', nullable: false, required: true, restrictable: false },
  { name: 'department', type: 'text', nullable: false, required: true, restrictable: false },
  { name: 'job_title', type: 'text', nullable: true, required: false, restrictable: true },
  { name: 'location', type: 'text', nullable: true, required: false, restrictable: true },
  { name: 'hire_date', type: 'date', nullable: true, required: false, restrictable: true },
  { name: 'termination_date', type: 'date', nullable: true, required: false, restrictable: true },
  { name: 'manager_id', type: 'text', nullable: true, required: false, restrictable: true },
  { name: 'updated_at', type: 'timestamptz', nullable: false, required: true, restrictable: false },
] as const;
