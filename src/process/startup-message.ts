import type { Config } from '../config/config.js';

/** The text on standard output when the server listens: its URL and a first request. */
export function startupMessage({ baseUrl, demoData }: Config): string {
  const lines = [`People API is listening on ${baseUrl}`, `  reference: ${baseUrl}/docs`];
  if (demoData) {
    lines.push(
      '  demo data is in place; get a token with',
      `    curl -sS ${baseUrl}/v1/oauth/token -d grant_type=client_credentials \\`,
      '      -d client_id=demobackend -d client_secret=demobackendsecret',
    );
  }
  return `${lines.join('\n')}\n`;
}
