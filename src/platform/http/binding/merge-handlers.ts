type Merged<Parts extends readonly object[]> = Parts extends readonly [
  infer First,
  ...infer Rest extends object[],
]
  ? First & Merged<Rest>
  : unknown;

/** Merges the methods of several handler classes, each bound to its instance. */
export function mergeHandlers<Parts extends object[]>(...parts: Parts): Merged<Parts> {
  const merged: Record<string, unknown> = {};
  for (const part of parts) {
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(part))) {
      if (name === 'constructor') continue;
      if (name in merged) throw new Error(`Two handlers are named ${name}`);
      merged[name] = (part as Record<string, (...input: unknown[]) => unknown>)[name]?.bind(part);
    }
  }
  return merged as Merged<Parts>;
}
