import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../problems/problem.js';
import { abortOnDisconnect } from './disconnect.js';
import { watchThroughput } from './minimum-throughput.js';
import type { ReportLimits } from './report-limits.js';

type DownloadLimits = Pick<ReportLimits, 'minimumBytes' | 'throughputPeriodMs' | 'downloadMs'>;

interface DownloadOptions {
  readonly socket: Socket;
  readonly response: ServerResponse;
  readonly limits: DownloadLimits;
  /** Aborts when the process stops. */
  readonly cutOff: AbortSignal;
}

/**
 * Watches a response that is streamed. It ends when the client disconnects, takes too little, lets the connection idle or
 * reaches the deadline, and when the process stops.
 *
 * @returns aborts for each of these reasons
 */
export function watchDownload({ socket, response, limits, cutOff }: DownloadOptions): AbortSignal {
  const { minimumBytes, throughputPeriodMs: periodMs, downloadMs } = limits;
  const controller = abortOnDisconnect(response);
  if (controller.signal.aborted) return controller.signal;
  const cut = (detail: string) => {
    controller.abort(new Problem('service_unavailable', detail, { headers: { 'retry-after': '5' } }));
    if (response.headersSent) resetConnection(response);
  };
  const stopWatch = watchThroughput(socket, { minimumBytes, periodMs }, () =>
    cut('The client reads the download too slowly.'),
  );
  const deadline = setTimeout(() => cut('The download has reached its time limit.'), downloadMs);
  deadline.unref();
  const onStop = () => cut('The process is stopping.');
  cutOff.addEventListener('abort', onStop);
  // Node.js closes an idle connection in the ordinary way unless there is a listener.
  response.once('timeout', () => cut('Nothing was sent for too long.'));
  response.once('close', () => {
    stopWatch();
    clearTimeout(deadline);
    cutOff.removeEventListener('abort', onStop);
  });
  return controller.signal;
}

/**
 * Resets the connection of a response that is not complete. Where the end of the connection is the end of the body, as
 * with HTTP/1.0, a client would mistake what it has for the whole result after an ordinary close. A response that is
 * queued behind another one has no connection yet, and has sent nothing.
 */
export function resetConnection({ socket }: Pick<ServerResponse, 'socket'>): void {
  // The socket of an injected request is none of the network's.
  (socket as Partial<Pick<Socket, 'resetAndDestroy'>> | null)?.resetAndDestroy?.();
}
