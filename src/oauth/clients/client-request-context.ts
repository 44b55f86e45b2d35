import type { AuditOrigin } from '../../platform/audit/audit-log.js';
import type { Application } from './client-registry.js';

/**
 * Counts a request towards the limit of a client.
 *
 * @throws {Problem} 429 `rate_limit_exceeded`
 */
export type AdmitClient = (subject: string) => Promise<void>;

/** Properties of a request to the token or revocation endpoint, in addition to its form. */
export interface ClientCall {
  /** Value of the Authorization header. */
  readonly authorization: string | undefined;
  readonly origin: AuditOrigin;
  readonly admit: AdmitClient;
  /** Called with the authenticated application before the request is processed. */
  recognised(application: Application): void;
}
