import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../problems/problem.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered even when everything else is refused: it is how others find out. */
    probe?: boolean;
  }
  interface FastifyRequest {
    /** Whether the server is at work on the request, rather than waiting for its body or sending the answer. */
    active: boolean;
    /** Whether it was refused because there was too much to do. */
    shed: boolean;
  }
}

/** Seconds after which a client may try again; the queue in front of it is worked off by then. */
const retryAfterSeconds = '1';

/**
 * Refuses requests while the server is at work on as many as it can answer in good time. Without this each new
 * request would make all of them wait longer, until nobody waits any more and every answer is for nothing. Who sends
 * or reads slowly does not count: that costs no work.
 *
 * @param maximum requests that the server works on at the same time; 0 is any number
 * @throws {Problem} 503 `service_unavailable`, to be tried again after a second
 */
export function limitActiveRequests(app: FastifyInstance, maximum: number): void {
  if (maximum === 0) return;
  const tell = summarised((shed) => app.log.warn({ shed }, 'requests were refused: there is too much to do'));
  let active = 0;
  const begin = (request: FastifyRequest) => {
    if (request.active) return;
    request.active = true;
    active += 1;
  };
  const end = (request: FastifyRequest) => {
    if (!request.active) return;
    request.active = false;
    active -= 1;
  };
  app.decorateRequest('active', false);
  app.decorateRequest('shed', false);
  app.addHook('onRequest', (request, _reply, done) => {
    if (active >= maximum && request.routeOptions.config.probe !== true) {
      request.shed = true;
      tell();
      throw overloaded();
    }
    begin(request);
    done();
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    end(request);
    done(null, payload);
  });
  app.addHook('preValidation', (request, _reply, done) => {
    begin(request);
    done();
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    end(request);
    done(null, payload);
  });
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

function overloaded(): Problem {
  return new Problem('service_unavailable', 'The service has more to do than it can. Try again shortly.', {
    headers: { 'retry-after': retryAfterSeconds },
  });
}
