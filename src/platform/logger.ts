import { type Logger as PinoLogger, pino } from 'pino';
import type { Config } from './config/config.js';

/** The part of a pino logger that services use. */
export interface Logger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** Members of a line of a request that its message contains. */
const inMessage = ['method', 'operation', 'status', 'duration_ms'];

/**
 * Creates the logger of the process. It writes to standard output: JSON, one object per line, or with `pretty` a line of text
 * for people, with the time of day in the time zone of the process.
 *
 * @param destination stream to write to instead
 */
export async function createLogger(
  { logLevel: level, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>,
  destination?: NodeJS.WritableStream,
): Promise<PinoLogger> {
  if (logFormat === 'json') return pino({ level }, destination ?? pino.destination(1));
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({
    sync: true,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: ['pid', 'hostname', ...inMessage].join(),
    messageFormat: (line, messageKey) => messageOf(line, String(line[messageKey] ?? '')),
    ...(destination !== undefined && { destination, colorize: false }),
  });
  return pino({ level }, stream);
}

function messageOf(line: Readonly<Record<string, unknown>>, message: string): string {
  const { method, operation, status, duration_ms: duration } = line;
  if (operation === undefined) return message;
  return `${operation === 'unknown' ? method : operation} ${status}, ${Math.round(Number(duration))} ms`;
}
