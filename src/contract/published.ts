import type { Config } from '../config.js';
import type { Contract } from './contract.js';

/** Rewrites text that was made from the contract, so that its addresses are those of this server. */
export type Localise = (text: string) => string;

/**
 * The contract is written for a server on the reader's own machine. What this server publishes of it names this
 * server instead, so that every line of it works as pasted.
 */
export function localiser(
  { document }: Pick<Contract, 'document'>,
  { baseUrl, errorsUrl }: Pick<Config, 'baseUrl' | 'errorsUrl'>,
): Localise {
  const [{ url: written }] = document.servers;
  return (text) => text.replaceAll(`${written}/errors`, errorsUrl).replaceAll(written, baseUrl);
}
