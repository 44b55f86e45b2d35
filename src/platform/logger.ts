/** The part of a pino logger that services use. */
export interface Logger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}
