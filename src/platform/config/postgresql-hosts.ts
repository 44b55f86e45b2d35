// In an `@` or `#` after the hosts, a password that is not percent-encoded ends. The driver would take its start for the host.
const form = /^(?<start>postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?<hosts>[^/?#@]*)(?<end>[^#@]*)$/s;
const hostForm = /^(?:\[[^[\],]+\]|[^[\]:,]+)(?::\d+)?$/;

/** Values of `target_session_attrs` for which a session is read-write. */
const readWrite: readonly unknown[] = ['read-write', 'primary'];

/**
 * Splits a PostgreSQL URL with several hosts, `postgres://user@host1:5433,host2/people?target_session_attrs=read-write`, into
 * one URL for each host. An IPv6 address is in brackets. Each host has its own port, by default 5432.
 *
 * @returns the unchanged URL where it has one host; `undefined` where the URL is invalid, or has several hosts and
 *   `target_session_attrs` is not `read-write` or `primary`
 * @see https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
 */
export function postgresqlHosts(value: string): [string, ...string[]] | undefined {
  const { start = '', hosts = '', end = '' } = form.exec(value)?.groups ?? {};
  if (start === '' || !isDecodable(value)) return undefined;
  const [first = '', ...others] = hosts.split(',');
  // The driver accepts a user name without a host, for the parameter `host`.
  if (others.length === 0)
    return URL.canParse(hosts === '' ? `postgres://host${end}` : value) ? [value] : undefined;
  if (![first, ...others].every((host) => hostForm.test(host))) return undefined;
  const urlOf = (host: string) => `${start}${host}${end}`;
  const urls: [string, ...string[]] = [urlOf(first), ...others.map(urlOf)];
  // The parser of the driver accepts the same URLs.
  if (!urls.every((url) => URL.canParse(url))) return undefined;
  return readWrite.includes(new URL(urls[0]).searchParams.get('target_session_attrs')) ? urls : undefined;
}

function isDecodable(value: string): boolean {
  try {
    decodeURIComponent(value);
    return true;
  } catch {
    return false;
  }
}
