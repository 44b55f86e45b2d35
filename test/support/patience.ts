/**
 * Milliseconds that tests wait for something that only a defect prevents: a server that starts, a connection, a lock, a condition.
 * More than any of them takes on a busy machine, and less than the limit of a test file.
 */
export const patienceMs = 900_000;
