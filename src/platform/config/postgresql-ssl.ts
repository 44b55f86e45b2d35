const modes: readonly unknown[] = [undefined, 'disable', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/**
 * Checks the parameters `sslmode` and `sslrootcert` of a PostgreSQL URL.
 *
 * @returns what is wrong, without the values; `undefined` where they are supported
 * @see https://www.postgresql.org/docs/current/libpq-ssl.html
 */
export function sslProblem(url: string): string | undefined {
  const { sslmode, sslrootcert } = parametersOf(url);
  // The driver does not connect a second time with or without TLS, as `allow` and `prefer` require.
  if (!modes.includes(sslmode)) return 'sslmode must be one of disable, require, verify-ca, verify-full';
  if (sslmode === 'verify-ca' && sslrootcert === undefined) return 'sslmode=verify-ca requires sslrootcert';
  if (sslrootcert === 'system' && ![undefined, 'verify-full'].includes(sslmode))
    return 'sslrootcert=system requires sslmode=verify-full';
  return undefined;
}

/**
 * Converts a PostgreSQL URL to one in which the driver reads `sslmode` as libpq does: `require` encrypts without a check of
 * the certificate, unless there is an `sslrootcert`; `verify-ca` checks its issuer, and `verify-full` also the host name.
 * With `sslrootcert=system`, and for `verify-full` without `sslrootcert`, the issuers are those of Node.js.
 */
export function withLibpqSsl(url: string): string {
  const parameters = parametersOf(url);
  if (parameters.sslmode === undefined && parameters.sslrootcert !== 'system') return url;
  if (parameters.sslrootcert === 'system') {
    parameters.sslmode = 'verify-full';
    delete parameters.sslrootcert;
  }
  // The driver's name for its own mode.
  if (parameters.sslmode !== 'no-verify') parameters.uselibpqcompat = 'true';
  return `${url.split('?', 1)[0]}?${new URLSearchParams(parameters)}`;
}

/** The last value of each parameter, as the driver reads them. */
function parametersOf(url: string): Record<string, string> {
  const start = url.indexOf('?');
  return start === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(start)));
}
