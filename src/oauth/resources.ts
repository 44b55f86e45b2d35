import { Problem } from '../platform/problems/problem.js';

/** The protected resources of the server: the API, and the endpoint of the Model Context Protocol. */
export const resources = ['api', 'mcp'] as const;

/** A protected resource, for which an access token is issued. */
export type Resource = (typeof resources)[number];

/** The identifiers of the resources, which are in their metadata and in `aud` of access tokens. @see RFC 9728 section 2 */
export function resourceUrls(baseUrl: string): Readonly<Record<Resource, string>> {
  return { api: baseUrl, mcp: `${baseUrl}/mcp` };
}

/**
 * Reads the parameter `resource`. Clients that parse URLs write that of the API with `/` at its end.
 *
 * @param value repeated values are joined with a space
 * @returns `undefined` when the parameter is absent
 * @throws {Problem} 400 `invalid_target`
 * @see RFC 8707 section 2
 */
export function readResource(value: string | undefined, baseUrl: string): Resource | undefined {
  if (value === undefined) return undefined;
  const urls = resourceUrls(baseUrl);
  if (value === `${baseUrl}/`) return 'api';
  const found = resources.find((resource) => value === urls[resource]);
  if (found === undefined) {
    throw invalidTarget(`resource must be one of ${Object.values(urls).join(', ')}, and sent once.`);
  }
  return found;
}

/** 400 `invalid_target`. @see RFC 8707 section 2 */
function invalidTarget(detail: string): Problem {
  return new Problem('invalid_target', detail);
}

/** 400 `invalid_target` for a resource other than that of the authorization request. */
export function otherResource(): Problem {
  return invalidTarget('resource must be that of the authorization request.');
}

/** The resources of a token with the resource of its grant. Grants of versions that did not store one are for all. */
export function resourcesOf(stored: Resource | null): readonly Resource[] {
  return stored === null ? resources : [stored];
}
