/**
 * Compares the names in the contract with the recorded names.
 *
 * @throws {Error} that lists the names that only one of them has
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
 * Compares a recording with the responses in which the contract uses its example.
 *
 * @throws {Error} if the server rejects a request example, or if the status or media type of the response differs
 */
export function checkUse(name, { request, responses }, { status, mediaType, body }) {
  const received = `${status} ${mediaType} ${JSON.stringify(body)}`;
  if (request) {
    if (status >= 300) throw new Error(`The server rejected the request example ${name}: ${received}`);
    return;
  }
  const declared = responses.map((use) => `${use.status} ${use.mediaType}`);
  if (declared.length === 0) throw new Error(`The contract does not use the example ${name}.`);
  if (!declared.includes(`${status} ${mediaType}`)) {
    throw new Error(
      `The contract uses the example ${name} for ${declared.join(' and ')}, but its entry received ${received}`,
    );
  }
}
