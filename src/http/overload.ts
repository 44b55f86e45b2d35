import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problems/problem.js';
import type { ActiveRequests, Workable } from './active-requests.js';
import type { ProblemSender } from './problem-sender.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered even when everything else is refused: it is how others find out. */
    probe?: boolean;
  }
  interface FastifyRequest extends Workable {
    /** Whether it was refused because there was too much to do. */
    shed: boolean;
  }
}

/** Seconds after which a client may try again; the queue in front of it is worked off by then. */
const retryAfterSeconds = '1';

/** Made once: when there is too much to do, a refusal has to be what costs least. */
const overloaded = new Problem(
  'service_unavailable',
  'The service has more to do than it can. Try again shortly.',
  { headers: { 'retry-after': retryAfterSeconds } },
);

/** Milliseconds for which a request may have to wait behind others. */
const patienceMilliseconds = 150;

/**
 * Refuses requests while the server is at work on as many as it can answer in good time. Without this each new
 * request would make all of them wait longer, until nobody waits any more and every answer is for nothing. Who sends
 * or reads slowly does not count: that costs no work.
 *
 * As many are allowed as were done in the 150 ms before, which is how long the last of them waits then.
 *
 * They are answered with 503 `service_unavailable`, to be tried again after a second, past everything that follows upon
 * an error.
 */
export function limitActiveRequests(
  app: FastifyInstance,
  { requests, sendProblem }: { requests: ActiveRequests; sendProblem: ProblemSender },
): void {
  const tell = summarised((shed) => app.log.warn({ shed }, 'requests were refused: there is too much to do'));
  const timer = setInterval(() => requests.adapt(), patienceMilliseconds).unref();
  app.addHook('onClose', async () => clearInterval(timer));
  app.decorateRequest('active', false);
  app.decorateRequest('shed', false);
  const beginOrRefuse = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    if (requests.full && request.routeOptions.config.probe !== true) {
      request.shed = true;
      tell();
      sendProblem(overloaded, request, reply);
      return;
    }
    requests.begin(request);
    done();
  };
  app.addHook('onRequest', beginOrRefuse);
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (hasBody(request)) requests.pause(request);
    done(null, payload);
  });
  app.addHook('preValidation', (request, reply, done) => {
    if (request.active) done();
    // Bodies may arrive together.
    else beginOrRefuse(request, reply, done);
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    requests.finish(request);
    done(null, payload);
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** One line a second at most: whoever has too much to do must not write a line about each thing that is left undone. */
function summarised(write: (count: number) => void): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count > 1) return;
    setTimeout(() => {
      write(count);
      count = 0;
    }, 1000).unref();
  };
}
