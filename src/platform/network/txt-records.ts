import { Resolver } from 'node:dns/promises';

/**
 * Reads the TXT records of a name in the DNS. Each record is a list of strings.
 *
 * @param signal aborts the look-up, which then rejects
 * @throws an error whose `code` is `ENOTFOUND` or `ENODATA` when the name has none, or another one when its servers do not respond
 */
export type ResolveTxt = (name: string, signal: AbortSignal) => Promise<string[][]>;

interface TxtLimits {
  /** Maximum time of a look-up. */
  readonly lookupMilliseconds: number;
  /** Time after which a query is sent again, once. */
  readonly queryMilliseconds: number;
}

const defaultLimits: TxtLimits = { lookupMilliseconds: 5_000, queryMilliseconds: 2_000 };

/**
 * Creates a {@link ResolveTxt}, which queries TXT records and nothing else. `lookup` of Node.js would wait in the thread pool.
 *
 * @param servers addresses of the name servers; default: those of the system
 * @param limits tests use longer ones
 */
export function createResolveTxt(servers?: readonly string[], limits = defaultLimits): ResolveTxt {
  return async (name, signal) => {
    const stop = AbortSignal.any([signal, AbortSignal.timeout(limits.lookupMilliseconds)]);
    stop.throwIfAborted();
    // Of its own for each look-up, because `cancel` ends all of a resolver.
    const resolver = new Resolver({ timeout: limits.queryMilliseconds, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    stop.addEventListener('abort', cancel);
    try {
      return await resolver.resolveTxt(name);
    } finally {
      stop.removeEventListener('abort', cancel);
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
    const records = await resolveTxt(name, signal);
    return records.some((parts) => parts.join('') === value) ? 'found' : 'missing';
  } catch (error) {
    const { code } = error as { code?: unknown };
    return code === 'ENOTFOUND' || code === 'ENODATA' ? 'missing' : 'unavailable';
  }
}
