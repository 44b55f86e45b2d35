/** Splits a `scope` parameter into its names, each once, in the order given. @see RFC 6749 section 3.3 */
export function parseScope(scope: string): string[] {
  return [...new Set(scope.split(' ').filter((name) => name !== ''))];
}
