import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { toAdapterError } from '../database-errors.js';

type PgAdapter = Awaited<ReturnType<PrismaPg['connect']>>;

/**
 * Driver adapter for migrations. Prisma's adapter splits a script at every semicolon, even inside of function bodies. This one
 * sends the whole script, so that a script without BEGIN and COMMIT is one transaction.
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
