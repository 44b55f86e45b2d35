import { type BaseQueryFn, createApi, type FetchArgs, fetchBaseQuery } from '@reduxjs/toolkit/query';

const settings = { baseUrl: '', token: '' };

/** Sets the address of the server, and the access token that each request carries. */
export function configure(changes: Partial<typeof settings>): void {
  Object.assign(settings, changes);
}

/**
 * Serializes the parameters that the generator has grouped: `{ page: { size: 3 } }` becomes `page[size]=3`.
 * Members that are `undefined` are omitted.
 */
function serialize(params: Record<string, unknown>): string {
  const entries = Object.entries(params).flatMap(([name, value]): [string, unknown][] => {
    if (typeof value !== 'object' || value === null) return [[name, value]];
    return Object.entries(value).map(([key, member]) => [`${name}[${key}]`, member]);
  });
  const given = entries.filter(([, value]) => value !== undefined);
  return String(new URLSearchParams(given.map(([name, value]) => [name, String(value)])));
}

const baseQuery: BaseQueryFn<string | FetchArgs> = (args, context, options) =>
  fetchBaseQuery({
    baseUrl: settings.baseUrl,
    paramsSerializer: serialize,
    prepareHeaders: (headers) => {
      if (settings.token) headers.set('Authorization', `Bearer ${settings.token}`);
    },
    // By default, every response is read as JSON.
    responseHandler: 'content-type',
    // By default, problem documents are read as text.
    isJsonContentType: (headers) => /json/.test(headers.get('Content-Type') ?? ''),
  })(withForm(args), context, options);

/** By default, the bodies of the OAuth endpoints are sent as JSON. */
function withForm(args: string | FetchArgs): string | FetchArgs {
  if (typeof args === 'string' || !args.url.startsWith('/v1/oauth/')) return args;
  return { ...args, body: new URLSearchParams(args.body) };
}

export const api = createApi({ baseQuery, endpoints: () => ({}) });
