const signals = ['SIGINT', 'SIGTERM'] as const;

// npm forwards the signal that the terminal has already sent to every process of the command.
const echoMs = 1_000;

/**
 * Runs work that stops gracefully on SIGINT and SIGTERM. A second signal more than a second later stops the process
 * immediately.
 */
export async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  let interruptedAt: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    if (interruptedAt === undefined) {
      interruptedAt = Date.now();
      controller.abort();
    } else if (Date.now() - interruptedAt > echoMs) {
      for (const name of signals) process.off(name, stop);
      process.kill(process.pid, signal);
    }
  };
  for (const name of signals) process.on(name, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of signals) process.off(name, stop);
  }
}
