import type { FastifyBaseLogger } from 'fastify';
import type { FinishedRequest, RequestObserver } from './request-watch.js';

type Level = 'debug' | 'info' | 'error';

/** Statuses of rejected requests. */
const rejectionStatuses: ReadonlySet<number> = new Set([401, 403, 429]);

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Logs one line for each completed request. A line takes at least a tenth of the processor time of a small request, so
 * successful reads have the level `debug`.
 */
export class RequestLog implements RequestObserver {
  readonly #logger: FastifyBaseLogger & { isLevelEnabled?(level: string): boolean };
  readonly #slowMs: number;

  /** @param slowRequestMs duration from which a request is always logged */
  constructor(logger: FastifyBaseLogger, { slowRequestMs }: { slowRequestMs: number }) {
    this.#logger = logger;
    this.#slowMs = slowRequestMs;
  }

  finished(finished: FinishedRequest): void {
    const level = this.#levelOf(finished);
    if (this.#logger.isLevelEnabled?.(level) === false) return;
    this.#logger[level](lineOf(finished), 'request done');
  }

  #levelOf({ status, aborted, method, operation, durationMs }: FinishedRequest): Level {
    if (status !== undefined && status >= 500) return 'error';
    if (aborted || status === undefined || rejectionStatuses.has(status) || durationMs >= this.#slowMs)
      return 'info';
    // Token requests are frequent, and the audit log has each of them.
    if (operation === 'createToken') return 'debug';
    const isChange = !readingMethods.has(method) && operation !== 'unknown' && status < 400;
    return isChange ? 'info' : 'debug';
  }
}

/** Members of a log line. They contain no text of the client: no URL, headers or body. */
function lineOf(finished: FinishedRequest): object {
  const { request, reply, method, operation, status, aborted, durationMs, party, problemCode } = finished;
  const bytes = Number(reply.getHeader('content-length'));
  return {
    request_id: request.id,
    method,
    operation,
    status,
    duration_ms: Math.round(durationMs * 10) / 10,
    ...(Number.isInteger(bytes) && { bytes }),
    ...(party?.accountId && { account_id: party.accountId }),
    ...(party?.applicationId && { application_id: party.applicationId }),
    ...(party?.userId && { user_id: party.userId }),
    ...(problemCode !== null && { problem: problemCode }),
    ...(aborted && { aborted }),
    ...(request.traceId && { trace_id: request.traceId }),
  };
}
