import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';

export type LogLine = Readonly<Record<string, unknown>>;

/** A logger, and everything that it has written. */
export interface CapturedLog {
  readonly logger: Logger;
  /** Lines as they were written. */
  readonly lines: string[];
  /** Lines of requests that are done, with this id or all. */
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
