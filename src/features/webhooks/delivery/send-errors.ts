import { PrivateAddressError, UnresolvedHostError } from '../../../platform/network/public-address.js';

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

/** There was no complete response in time. */
export class SendTimeoutError extends Error {
  override readonly name = 'SendTimeoutError';
  override readonly message = 'No response within 15 seconds';
}

/** The process stops. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  override readonly message = 'The server stopped during the attempt';
}

const own = [PrivateAddressError, UnresolvedHostError, SendTimeoutError, InterruptedError];

/** Describes why there was no response, as a sentence without its full stop. */
export function describeSendError(error: unknown): string {
  if (own.some((type) => error instanceof type)) return (error as Error).message;
  if (!(error instanceof Error)) return 'The request failed';
  const { code = '' } = error as NodeJS.ErrnoException;
  return byCode[code] ?? 'The request failed';
}
