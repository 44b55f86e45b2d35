import { isDeepStrictEqual } from 'node:util';
import { classify } from './classify.mjs';
import { locationOf, messageOf, namesOf } from './describe.mjs';
import { extensionChanges } from './extensions.mjs';
import { orderChanges } from './order.mjs';
import { isInExtension } from './pairs.mjs';
import { joinServers } from './servers.mjs';
import { tableChanges } from './tables.mjs';

/**
 * Every change between two contracts, each with its `impact` on clients, its location (`at`), a description (`message`)
 * and the `names` that the changelog must mention.
 *
 * @param {object[]} redoclyChanges the changes that Redocly finds
 */
export function compareContracts(released, contract, redoclyChanges) {
  const changes = joinServers(redoclyChanges)
    .filter((change) => !isVersion(change) && !isOfExtension(change))
    .map((change) => ({
      impact: classify(change),
      at: locationOf(change),
      message: messageOf(change),
      names: namesOf(change, change.revision === undefined ? released : contract),
    }));
  changes.push(
    ...tableChanges(released, contract),
    ...extensionChanges(released, contract),
    ...orderChanges(released, contract),
  );
  if (changes.length === 0 && !isDeepStrictEqual(withoutVersion(released), withoutVersion(contract))) {
    changes.push({ impact: 'editorial', at: '#/', message: 'The text of the document changed.', names: [] });
  }
  return changes;
}

function isVersion({ typeName, property }) {
  return typeName === 'Info' && property === 'version';
}

function isOfExtension({ path, kind, property }) {
  const segments = path.split('/');
  return isInExtension(kind === 'modified' && property !== 'key' ? [...segments, property] : segments);
}

function withoutVersion(document) {
  return { ...document, info: { ...document.info, version: undefined } };
}
