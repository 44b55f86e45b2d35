import type { Contract } from '../contract/contract.js';

/** Finds the methods that the contract has for a path, as the value of an `Allow` header; `null` when it has none. */
export type AllowedMethods = (path: string) => string | null;

/** @see RFC 9110 section 10.2.1 */
export function createAllowedMethods(contract: Contract): AllowedMethods {
  const methodsByTemplate = new Map<string, string[]>();
  for (const { method, path } of contract.operations.values()) {
    const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
    methodsByTemplate.set(path, [...(methodsByTemplate.get(path) ?? []), ...methods]);
  }
  const paths = [...methodsByTemplate].map(([template, methods]) => ({
    segments: template.split('/').map((segment) => (segment.startsWith('{') ? null : segment)),
    methods: methods.join(', '),
  }));
  return (path) => {
    const segments = path.split('/', maximumSegments);
    return paths.find((known) => matches(known.segments, segments))?.methods ?? null;
  };
}

/** More than any path of the contract has. */
const maximumSegments = 10;

/** @param template `null` stands for a parameter, which is never empty */
function matches(template: readonly (string | null)[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) => (part === null ? segments[index] !== '' : part === segments[index]))
  );
}
