import { Resolver } from 'node:dns/promises';

/**
 * Reads the TXT records of a name in the DNS. Each record is a list of strings.
 *
 * @param signal aborts the look-up, which then rejects
 * @throws an error whose `code` is `ENOTFOUND` or `ENODATA` when the name has none, or another one when its servers do not respond
 */
export type ResolveTxt = (name: string, signal: AbortSignal) => Promise<string[][]>;

/** Maximum time of a look-up. */
const lookupMilliseconds = 5_000;

/** Times of one query, which is sent twice. */
const queryOptions = { timeout: 2_000, tries: 2 } as const;

/**
 * Creates a {@link ResolveTxt}, which queries TXT records and nothing else. `lookup` of Node.js would wait in the thread pool.
 *
 * @param servers addresses of the name servers; default: those of the system
 */
export function createResolveTxt(servers?: readonly string[]): ResolveTxt {
  return async (name, signal) => {
    signal.throwIfAborted();
    // Of its own for each look-up, because `cancel` ends all of a resolver.
    const resolver = new Resolver(queryOptions);
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel);
    try {
      return await resolver.resolveTxt(name);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

/** Whether a record exists. `unavailable`: the name servers do not respond, or report an error. */
type TxtOutcome = 'found' | 'missing' | 'unavailable';

/**
 * Looks a TXT record up. The records are texts of strangers: they are compared, and neither stored nor shown.
 *
 * @param signal aborts the look-up, whose outcome is then `unavailable`
 */
export async function findTxtRecord(
  resolveTxt: ResolveTxt,
  { name, value }: { name: string; value: string },
  signal: AbortSignal,
): Promise<TxtOutcome> {
  try {
    const records = await resolveTxt(
      name,
      AbortSignal.any([signal, AbortSignal.timeout(lookupMilliseconds)]),
    );
    return records.some((parts) => parts.join('') === value) ? 'found' : 'missing';
  } catch (error) {
    const { code } = error as { code?: unknown };
    return code === 'ENOTFOUND' || code === 'ENODATA' ? 'missing' : 'unavailable';
  }
}
