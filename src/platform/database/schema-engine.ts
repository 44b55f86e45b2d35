import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import type * as Engine from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { MigrationFile } from './migrations.js';

export const noFilters = { externalTables: [], externalEnums: [] };
let loading: Promise<typeof Engine> | undefined;

/**
 * Applies the pending migrations and records them in `_prisma_migrations`, as `prisma migrate deploy` does.
 *
 * @returns names of the applied migrations
 * @throws the error of the script that failed
 */
export async function applyMigrations(
  adapterFactory: SqlMigrationAwareDriverAdapterFactory,
  baseDir: string,
  files: readonly MigrationFile[],
): Promise<string[]> {
  return withEngine(adapterFactory, async (engine) => {
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: {
        baseDir,
        lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
        shadowDbInitScript: '',
        migrationDirectories: files.map(({ name, script }) => ({
          path: name,
          migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: script } },
        })),
      },
      filters: noFilters,
    });
    return appliedMigrationNames;
  });
}

/**
 * Runs work with the engine of Prisma's migrations.
 *
 * @param datamodels path and text of each Prisma schema that the work compares
 * @throws the error of the script that failed
 */
export async function withEngine<Result>(
  adapterFactory: SqlMigrationAwareDriverAdapterFactory,
  use: (engine: Engine.SchemaEngine) => Promise<Result>,
  datamodels?: [string, string][],
): Promise<Result> {
  loading ??= loadEngine();
  const { SchemaEngine } = await loading;
  const remembering = rememberFailure(adapterFactory);
  const bound = bindMigrationAwareSqlAdapterFactory(remembering);
  const engine = await SchemaEngine.new({ datamodels }, () => {}, bound);
  try {
    return await use(engine);
  } catch (error) {
    throw remembering.failure ?? error;
  } finally {
    engine.free();
  }
}

/** Stores the error of a failed script, because the engine reports only "external connector error". */
function rememberFailure(
  factory: SqlMigrationAwareDriverAdapterFactory,
): SqlMigrationAwareDriverAdapterFactory & { failure?: unknown } {
  const remembering: SqlMigrationAwareDriverAdapterFactory & { failure?: unknown } = {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connectToShadowDb: () => factory.connectToShadowDb(),
    async connect() {
      const adapter = await factory.connect();
      const executeScript = adapter.executeScript.bind(adapter);
      return Object.assign(adapter, {
        executeScript: (script: string) =>
          executeScript(script).catch((error: unknown) => {
            remembering.failure = error;
            throw error;
          }),
      });
    },
  };
  return remembering;
}

/** Loads the engine. The published module imports its `.wasm` file, which Node.js 20 does not support. */
async function loadEngine(): Promise<typeof Engine> {
  const name = '@prisma/schema-engine-wasm/schema_engine_bg';
  const file = createRequire(import.meta.url).resolve(name);
  const glue: typeof Engine = await import(name);
  const bytes = await readFile(path.join(path.dirname(file), 'schema_engine_bg.wasm'));
  const imports = { ...glue, ...unrefTimers(glue) };
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': imports });
  glue.__wbg_set_wasm(instance.exports);
  (instance.exports as { __wbindgen_start(): void }).__wbindgen_start();
  return glue;
}

/** Replaces the timers of the engine by unreferenced ones: it starts a timer of ten seconds and never clears it. */
function unrefTimers(glue: object): WebAssembly.ModuleImports {
  const names = Object.keys(glue).filter((name) => name.startsWith('__wbg_setTimeout_'));
  const start = (callback: () => void, delayMs: number): unknown =>
    setTimeout(callback, delayMs >>> 0).unref();
  return Object.fromEntries(names.map((name) => [name, start]));
}
