import { contract } from '../../../support/server/app.js';
import type { Exchange } from './recorder.js';

/** Why the server rejects a request in which Prism finds no violation, or the reverse. */
export interface Disagreement {
  readonly reason: string;
  explains(exchange: Exchange): boolean;
}

/** Statuses for a request that violates the contract or lacks authorization. */
const rejections = [400, 401, 403, 413, 415];

/** The server accepts a request that Prism reports. */
export const acceptsReported = ({ response }: Exchange): boolean =>
  response.violations.some(({ location }) => location[0] === 'request') &&
  !rejections.includes(response.status);

/** The server reports a malformed request, and Prism does not. */
export const rejectsUnreported = ({ response }: Exchange): boolean =>
  [400, 415].includes(response.status) &&
  !response.violations.some(({ location }) => location[0] === 'request');

/** Each of {@link rejectsUnreported}. */
export const disagreements: readonly Disagreement[] = [
  {
    reason: 'Prism ignores query parameters that the operation does not have; the server rejects them.',
    explains: ({ request, operation }) =>
      [...query(request.path).keys()].some((name) => !queryParameters(operation).has(name)),
  },
  {
    reason: 'Prism treats an empty query parameter as absent; the server applies minLength and the type.',
    explains: ({ request }) => [...query(request.path).values()].includes(''),
  },
  {
    reason: 'Only the server knows which cursors it has issued.',
    explains: (exchange) => faults(exchange).includes('page[after]'),
  },
  {
    reason: 'The description states which URLs of webhook endpoints are valid.',
    explains: (exchange) => faults(exchange).includes('/url'),
  },
  {
    reason: 'Only the server knows the cursors of an account.',
    explains: (exchange) => faults(exchange).includes('/after'),
  },
  {
    reason: 'The description states that a feed starts at a cursor or at a time.',
    explains: ({ response }) => response.body.includes('cannot be combined with page[after]'),
  },
  {
    reason:
      'The description states rules between the members of a report, for example between sort and group_by.',
    explains: (exchange) =>
      ['createReport', 'updateReport'].includes(exchange.operation ?? '') &&
      faults(exchange).every((fault) => /^[/](columns|filters|sort|group_by)[/]?/.test(fault)),
  },
  {
    reason: 'NUL and unpaired surrogates, which the database cannot store, are rejected in every text.',
    explains: ({ response }) => response.body.includes('must be valid Unicode without NUL characters'),
  },
  {
    reason: 'Language tags and time zones are looked up in registries.',
    explains: (exchange) =>
      exchange.operation === 'updateCurrentUser' &&
      faults(exchange).every((fault) => ['/locale', '/zoneinfo'].includes(fault)),
  },
  {
    reason: 'The required members of a form, and its valid scopes, depend on the grant and on the client.',
    explains: ({ operation }) => ['createToken', 'revokeToken'].includes(operation ?? ''),
  },
  {
    reason: 'Only the server knows the redirect URIs of an application.',
    explains: ({ operation }) => operation === 'authorize',
  },
];

const headOnly = 'Follows from a malformed request line or Host header only, and Prism writes both itself.';

/** Documented statuses that no response through Prism has, of every operation or of one. */
export const unseenStatuses: Readonly<Record<string, string>> = {
  302: 'Prism follows redirects.',
  410: 'A new server has no expired events.',
  408: 'Prism reads the whole body before it forwards a request.',
  'exportReport 406': 'Documented in version 1.0.0 and not sent anymore.',
  'getAuthorizationServerMetadata 400': headOnly,
  'getJsonWebKeySet 400': headOnly,
};

function query(path: string): URLSearchParams {
  return new URLSearchParams(path.split('?')[1]);
}

function queryParameters(operation: string | undefined): ReadonlyMap<string, unknown> {
  return contract.operations.get(operation as never)?.queryParameters ?? new Map();
}

/** The parameters and pointers that a problem document names. */
function faults({ response }: Exchange): string[] {
  if (!response.headers.get('content-type')?.includes('json')) return [];
  const { errors = [] } = JSON.parse(response.body) as {
    errors?: { parameter?: string; pointer?: string }[];
  };
  return errors.map(({ parameter, pointer }) => parameter ?? pointer ?? '');
}
