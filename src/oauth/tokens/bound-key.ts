import type { Application } from '../clients/client-registry.js';

/**
 * Thumbprint of the key that a new refresh token is bound to; `null` for none. The refresh token of a confidential client is bound to
 * the client by its authentication, so that the client can change its key.
 *
 * @param jkt thumbprint of the key of the DPoP proof
 * @see RFC 9449 section 5
 */
export function boundKeyOf(
  { clientType }: Pick<Application, 'clientType'>,
  jkt: string | null,
): string | null {
  return clientType === 'public' ? jkt : null;
}

/** Whether a code or a refresh token can be used with the key of a DPoP proof, or without a proof. */
export function isUsableWith({ dpopJkt }: { readonly dpopJkt: string | null }, jkt: string | null): boolean {
  return dpopJkt === null || dpopJkt === jkt;
}
