import type { Contract } from '../contract/contract.js';
import { methodsByPath } from '../contract/methods-by-path.js';

/** Methods of a path in the contract as the value of an `Allow` header; `null` for an unknown path. */
export type AllowedMethods = (path: string) => string | null;

/** @see RFC 9110 section 10.2.1 */
export function createAllowedMethods(contract: Contract): AllowedMethods {
  const paths = [...methodsByPath(contract.operations.values())].map(([template, methods]) => ({
    segments: template.split('/').map((segment) => (segment.startsWith('{') ? null : segment)),
    methods: methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)).join(', '),
  }));
  return (path) => {
    const segments = path.split('/');
    return paths.find((known) => matches(known.segments, segments))?.methods ?? null;
  };
}

/** @param template `null` is a parameter, which is never empty */
function matches(template: readonly (string | null)[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) => (part === null ? segments[index] !== '' : part === segments[index]))
  );
}
