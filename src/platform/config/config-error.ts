/** Invalid or missing environment variables; the message has one line for each, which names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
