import { until } from '../until.js';

/** A statement that runs until it is cancelled. */
export const endless = 'pg_sleep(1000)';

/**
 * Waits until a statement with {@link endless} runs and cancels it, as PostgreSQL does when the time limit of a statement
 * expires.
 *
 * @param run runs a statement of a superuser on another connection, and returns its rows
 */
export async function cancelEndless(run: (text: string) => Promise<readonly unknown[]>): Promise<void> {
  const running = `SELECT pg_cancel_backend(pid)::text FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%${endless}%'`;
  await until(async () => (await run(running)).length > 0);
}
