import type { Database, DatabaseOptions, ReadDatabase } from '../client.js';
import { openPostgresql } from '../postgresql/postgresql.js';
import { createReadDatabase } from './read-database.js';
import { readServerPosition, Standby } from './standby.js';
import { Standbys } from './standbys.js';

export interface Replicas {
  readonly reads: ReadDatabase;
  close(): Promise<void>;
}

/**
 * Reads from standbys of the primary. They are connected to in the background, so that an unavailable standby does not
 * prevent the start. Call it after the migrations.
 *
 * @param urls one URL for each server
 */
export async function openReplicas(
  primary: Database,
  urls: readonly string[],
  options: DatabaseOptions,
): Promise<Replicas> {
  const position = await readServerPosition(primary);
  const standbys = new Standbys(
    primary,
    urls.map(
      (databaseUrl, index) =>
        new Standby({
          number: index + 1,
          open: (onConnectionLost) =>
            openPostgresql({ ...options, databaseUrl, recordWrites: false, onConnectionLost }),
          primary: position,
          logger: options.logger,
        }),
    ),
  );
  return { reads: createReadDatabase(primary, standbys), close: () => standbys.close() };
}
