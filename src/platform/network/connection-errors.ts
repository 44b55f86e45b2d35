import { PrivateAddressError, UnresolvedHostError } from './public-address.js';

const byCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was closed',
  EPIPE: 'The connection was closed',
  EHOSTUNREACH: 'The host cannot be reached',
  ENETUNREACH: 'The host cannot be reached',
  ETIMEDOUT: 'The connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'The connection timed out',
  UND_ERR_SOCKET: 'The connection was closed',
  CERT_HAS_EXPIRED: 'The TLS certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The TLS certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'The TLS certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The TLS certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The TLS certificate is for another host',
};

/** Describes why a request to another server has no response, as a sentence without its full stop. */
export function describeConnectionError(error: unknown): string {
  if (error instanceof PrivateAddressError || error instanceof UnresolvedHostError) return error.message;
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return byCode[code ?? ''] ?? 'The request failed';
}
