import { defineConfig } from 'prisma/config';

// The Prisma CLI downloads a native schema engine unless it is told where one is. Generating, formatting and
// validating never run it, so any existing executable keeps those commands working offline.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

// Migrations hold an advisory lock in a session, which a pooler in transaction mode does not keep.
const url = process.env.DIRECT_DATABASE_URL || process.env.DATABASE_URL;

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  ...(url === undefined ? {} : { datasource: { url } }),
});
