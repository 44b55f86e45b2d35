/** The server of TEST_DATABASE_URL without the connection pooler in front of it; unset without a pooler. */
const directServer = process.env.TEST_DIRECT_DATABASE_URL || undefined;

/** Returns the URL of a database that bypasses the connection pooler; `undefined` without a pooler. */
export function directUrlOf(databaseUrl: string): string | undefined {
  if (directServer === undefined) return undefined;
  const { hostname, port } = new URL(directServer);
  return Object.assign(new URL(databaseUrl), { hostname, port }).toString();
}

/** Returns the URL for statements that a pooler does not support, such as those that create and drop databases. */
export function administrativeUrlOf(databaseUrl: string): string {
  return directUrlOf(databaseUrl) ?? databaseUrl;
}
