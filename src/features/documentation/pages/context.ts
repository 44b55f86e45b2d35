import type { Contract } from '../../../platform/contract/contract.js';
import { DocumentLinks } from '../reference/links.js';

/** What the pages of the reference are rendered from. */
export interface ReferenceContext {
  readonly contract: Contract;
  /** Links to pages of the reference. */
  readonly links: DocumentLinks;
}

export function referenceContext(contract: Contract): ReferenceContext {
  return { contract, links: new DocumentLinks(contract, 'page') };
}
