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
 * Watches a streamed response and aborts it when the client disconnects, reads too slowly or is idle, after the maximum
 * duration, or when the process stops.
 *
 * @returns signal that aborts the download
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
  const deadline = setTimeout(() => cut('The download exceeded its maximum duration.'), downloadMs);
  deadline.unref();
  const onStop = () => cut('The process is stopping.');
  cutOff.addEventListener('abort', onStop);
  // Without a listener Node.js would close an idle connection instead of resetting it.
  response.once('timeout', () => cut('The connection was idle for too long.'));
  response.once('close', () => {
    stopWatch();
    clearTimeout(deadline);
    cutOff.removeEventListener('abort', onStop);
  });
  return controller.signal;
}

/**
 * Resets the connection of an incomplete response. With HTTP/1.0 the end of the connection is the end of the body, so a
 * client would mistake an incomplete result for the complete one if the connection was closed. A response that is queued
 * behind another one has no connection yet.
 */
export function resetConnection({ socket }: Pick<ServerResponse, 'socket'>): void {
  // The socket of an injected request is not a network socket.
  (socket as Partial<Pick<Socket, 'resetAndDestroy'>> | null)?.resetAndDestroy?.();
}
