import type { Application } from '../services/applications/client-registry.js';
import type { AuditOrigin } from '../services/audit-log.js';

/**
 * Counts a request for a client that it was found to come from.
 *
 * @throws {Problem} 429 when the client has made too many
 */
export type AdmitClient = (subject: string) => Promise<void>;

/** What a request to an endpoint that clients authenticate to brings along besides its form. */
export interface ClientCall {
  /** The Authorization header. */
  readonly authorization: string | undefined;
  readonly origin: AuditOrigin;
  readonly admit: AdmitClient;
  /** Is told of the application before anything is done for it. */
  recognised(application: Application): void;
}
