import type { FinishedRequest, RequestObserver } from '../../platform/observability/request-watch.js';
import type { UsageRecorder } from './usage-recorder.js';

/**
 * Records requests with a known application: by an accepted token, by a validly signed token that was rejected, or by
 * the client of the token or revocation endpoint. All of them are operations of the contract: a message of the Model
 * Context Protocol is counted by the operation that it calls.
 */
export class RequestUsage implements RequestObserver {
  readonly #recorder: UsageRecorder;

  constructor(recorder: UsageRecorder) {
    this.#recorder = recorder;
  }

  finished({ request, party, operation, method, status, problemCode }: FinishedRequest): void {
    if (request.routeOptions.config?.operation === undefined) return;
    if (party === null || (party.applicationId === undefined && party.clientId === undefined)) return;
    this.#recorder.record({
      accountId: party.accountId,
      applicationId: party.applicationId,
      clientId: party.clientId,
      userId: party.userId ?? null,
      operation,
      status,
      // The response to HEAD contains no records.
      records: method === 'HEAD' ? 0 : request.records,
      requestId: request.id,
      code: problemCode,
    });
  }
}
