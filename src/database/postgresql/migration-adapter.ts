import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { toAdapterError } from '../adapter-error.js';

type PgAdapter = Awaited<ReturnType<PrismaPg['connect']>>;

/**
 * Adapter for migrations. The original cuts a script at every semicolon, the ones inside function bodies
 * included; this one sends it whole, which also makes a script without BEGIN and COMMIT all or nothing.
 */
export class ScriptPrismaPg extends PrismaPg {
  override async connect(): Promise<PgAdapter> {
    const adapter = await super.connect();
    adapter.executeScript = executeWhole;
    return adapter;
  }
}

async function executeWhole(this: PgAdapter, script: string): ReturnType<SqlDriverAdapter['executeScript']> {
  try {
    await this.underlyingDriver().query(script);
  } catch (error) {
    throw toAdapterError(error);
  }
}
