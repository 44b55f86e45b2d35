import { isDeepStrictEqual } from 'node:util';
import { messageOf, namesOf, placeOf } from './describe.mjs';
import { judge } from './judge.mjs';
import { tableChanges } from './tables.mjs';

/**
 * Every change between two contracts, each with its `impact` on clients, where it is (`at`), what it is (`message`)
 * and the `names` that the changelog has to mention.
 *
 * @param {object[]} redoclyChanges what Redocly finds
 */
export function compareContracts(released, contract, redoclyChanges) {
  const changes = redoclyChanges
    .filter(({ property, typeName }) => !(typeName === 'Info' && property === 'version'))
    .map((change) => ({
      impact: judge(change),
      at: placeOf(change),
      message: messageOf(change),
      names: namesOf(change, change.revision === undefined ? released : contract),
    }));
  changes.push(...tableChanges(released, contract));
  if (changes.length === 0 && !isDeepStrictEqual(withoutVersion(released), withoutVersion(contract))) {
    changes.push({ impact: 'editorial', at: '#/', message: 'Something in the text has changed.', names: [] });
  }
  return changes;
}

function withoutVersion(document) {
  return { ...document, info: { ...document.info, version: undefined } };
}
