/**
 * Compares the names that the contract has with those that are recorded.
 *
 * @throws {Error} which names one that is only in one of them
 */
export function checkNames(kind, inContract, recorded) {
  const missing = inContract.filter((name) => !recorded.includes(name));
  if (missing.length > 0) {
    throw new Error(`scripts/examples has no entry for the ${kind} ${missing.join(', ')} of the contract.`);
  }
  const stale = recorded.filter((name) => !inContract.includes(name));
  if (stale.length > 0) {
    throw new Error(
      `scripts/examples has an entry for ${stale.join(', ')}: the contract has no such ${kind}.`,
    );
  }
}

/**
 * Compares a recording with the places where the contract uses its example.
 *
 * @throws {Error} for a request example that is rejected, and for a response that the contract does not have there
 */
export function checkUse(name, { request, responses }, { status, mediaType, body }) {
  const received = `${status} ${mediaType} ${JSON.stringify(body)}`;
  if (request) {
    if (status >= 300) throw new Error(`The server rejects the request example ${name}: ${received}`);
    return;
  }
  const declared = responses.map((use) => `${use.status} ${use.mediaType}`);
  if (declared.length === 0) throw new Error(`The contract uses the example ${name} nowhere.`);
  if (!declared.includes(`${status} ${mediaType}`)) {
    throw new Error(
      `The example ${name} belongs to ${declared.join(' or ')}, and its entry received ${received}`,
    );
  }
}
