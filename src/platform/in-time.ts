/** @throws {Error} when the response takes longer */
export async function inTime<Value>(response: Promise<Value>, timeoutMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`no response within ${timeoutMs} ms`));
    // After a busy event loop, responses that have arrived are read first.
    timer = setTimeout(() => setImmediate(fail), timeoutMs);
  });
  try {
    return await Promise.race([response, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
