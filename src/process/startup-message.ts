import { demoBackend, demoPassword } from '../features/demo-data/accounts.js';

/**
 * The text on standard output when the server listens: its addresses, and with the demo data a first request and a user.
 *
 * @param options.demoApplication whether the database has the application of the demo data
 */
export function startupMessage(
  { baseUrl }: { baseUrl: string },
  { demoApplication }: { demoApplication: boolean },
): string {
  const lines = [
    `People API is listening on ${baseUrl}`,
    `  reference: ${baseUrl}/docs`,
    `  API console: ${baseUrl}/console`,
    `  sign-in page: ${baseUrl}/sign_in`,
  ];
  if (demoApplication) {
    lines.push(
      '  demo data is in place; get a token with',
      `    curl -sS ${baseUrl}/v1/oauth/token -d grant_type=client_credentials \\`,
      `      -d client_id=${demoBackend.clientId} -d client_secret=${demoBackend.clientSecret}`,
      `  or sign in as ${demoBackend.ownerEmail} with the password: ${demoPassword}`,
    );
  }
  return `${lines.join('\n')}\n`;
}
