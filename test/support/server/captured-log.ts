import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';

export type LogLine = Readonly<Record<string, unknown>>;

/** A logger that records its output. */
export interface CapturedLog {
  readonly logger: Logger;
  /** Lines as they were written. */
  readonly lines: string[];
  /** Lines of completed requests: of the request with this id, or all. */
  done(requestId?: unknown): LogLine[];
}

export function captureLog(level = 'trace'): CapturedLog {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return {
    logger: pino({ level }, stream),
    lines,
    done: (requestId) =>
      lines
        .map((line) => JSON.parse(line) as LogLine)
        .filter(({ msg }) => msg === 'request done')
        .filter(({ request_id }) => requestId === undefined || request_id === requestId),
  };
}
