import type { Contract, Operation } from '../../../src/platform/contract/contract.js';
import { apiId } from '../../../src/platform/contract/contract.js';
import { blocks } from '../reference/description.js';
import { DocumentLinks } from '../reference/links.js';
import { chaptersOf, operationsOf } from '../reference/nodes.js';
import { Authorizations } from './authorization.js';
import { requestItem, variablesOf } from './request.js';

const instructions =
  'Set the variables `client_id`, `client_secret` and `redirect_uri` to those of your application. Their initial values are ' +
  'those of the demo data. The requests can be run in order: they store the token and the ids of records in variables, and ' +
  'check the status.';

/**
 * The operations as a Postman collection: a folder for each tag, and requests with the examples of the contract.
 *
 * @see https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html
 */
export function postmanCollection(contract: Contract): object {
  const links = new DocumentLinks(contract, 'page');
  const variables = variablesOf(contract);
  const authorizations = new Authorizations(contract);
  const { title, description, version } = contract.document.info as Readonly<Record<string, string>>;
  const folders = chaptersOf(contract).map((chapter) => ({
    name: chapter.name,
    description: links.rewriteLinks(chapter.description),
    item: inOrder(operationsOf(contract, chapter)).map((operation) =>
      requestItem(operation, { contract, links, variables, authorizations }),
    ),
  }));
  return {
    info: {
      _postman_id: apiId,
      name: title,
      version,
      description: blocks(links.rewriteLinks(description ?? ''), instructions),
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: authorizations.ofClient,
    variable: Object.entries(variables).map(([key, value]) => ({ key, value, type: 'string' })),
    item: folders.filter(({ item }) => item.length > 0),
  };
}

/** Deletions are last, because other requests use the record. */
function inOrder(operations: readonly Operation[]): Operation[] {
  const isDeletion = ({ method }: Operation) => Number(method === 'DELETE');
  return [...operations].sort((one, other) => isDeletion(one) - isDeletion(other));
}
