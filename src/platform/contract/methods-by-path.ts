import type { Operation } from './contract.js';

/** Groups operations: the methods of each path template, in the order of the contract. */
export function methodsByPath(operations: Iterable<Operation>): Map<string, string[]> {
  const grouped = new Map<string, string[]>();
  for (const { method, path } of operations) {
    const methods = grouped.get(path);
    if (methods === undefined) grouped.set(path, [method]);
    else methods.push(method);
  }
  return grouped;
}
