import type { ResolveTxt } from '../../../src/platform/network/txt-records.js';

/** TXT records that a test controls. */
export interface FakeDns {
  readonly resolveTxt: ResolveTxt;
  /** Records by name; in their place an error code, or work with it as its result. Names without an entry do not exist. */
  readonly records: Map<string, readonly (readonly string[])[] | string | (() => Promise<string>)>;
  /** Names in the order of their look-ups. */
  readonly names: string[];
}

export function createFakeDns(): FakeDns {
  const records: FakeDns['records'] = new Map();
  const names: string[] = [];
  const resolveTxt: ResolveTxt = async (name) => {
    names.push(name);
    const entry = records.get(name) ?? 'ENOTFOUND';
    const found = typeof entry === 'function' ? await entry() : entry;
    if (typeof found === 'string') throw Object.assign(new Error(found), { code: found });
    return found.map((parts) => [...parts]);
  };
  return { resolveTxt, records, names };
}
