import { until } from '../until.js';
import { ClusterServer, type Settings } from './cluster-server.js';
import { runProgram } from './programs.js';
import { TemporaryServers } from './temporary-servers.js';

export interface ClusterOptions {
  /** Number of standbys; 2 by default. */
  readonly standbys?: number;
  /**
   * Whether a commit waits until one standby has received it. It also does after a promotion, so two standbys are required.
   */
  readonly synchronous?: boolean;
  /** Settings of all servers. */
  readonly settings?: Settings;
}

/** A primary and its standbys, which are named s1, s2 and so on. */
export interface Cluster {
  /** The primary; after a promotion, the promoted server. */
  readonly primary: ClusterServer;
  readonly standbys: readonly Standby[];
  /** URL of a database on all servers; a session is read-write. */
  urlOf(database: string): string;
  /** Kills all processes of the primary. */
  kill(): Promise<void>;
  /** Makes a standby the primary that the others follow. */
  promote(standby: Standby): Promise<void>;
  /** Kills the servers and removes their data. */
  close(): Promise<void>;
}

/** The data is temporary, so writes do not wait for the disk. A killed process loses no writes. */
export const commonSettings: Settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // In the directory of the data, so that a killed server leaves nothing elsewhere.
  dynamic_shared_memory_type: 'mmap',
  fsync: 'off',
  shared_buffers: '32MB',
  // Retains the log that a stopped standby needs.
  wal_keep_size: '256MB',
  // Standbys connect to another primary quickly.
  wal_retrieve_retry_interval: '100ms',
};

/** A server that follows the primary. */
export class Standby extends ClusterServer {
  /** Follows another primary. */
  follow({ port }: ClusterServer): Promise<void> {
    return this.configure({ primary_conninfo: `host=127.0.0.1 port=${port} user=postgres` });
  }

  /** Applies changes this many milliseconds after their commit, by the clocks of both servers. 0: at once. */
  setDelay(milliseconds: number): Promise<void> {
    return this.configure({ recovery_min_apply_delay: `${milliseconds}ms` });
  }

  /** Bytes of the log that it has received. */
  async received(): Promise<bigint> {
    const [row] = await this.query<{ bytes: string }>(
      "SELECT coalesce(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0' AS bytes",
    );
    return BigInt(row?.bytes ?? 0);
  }
}

/** Starts a primary and standbys in a temporary directory, with the installed programs, and waits until the standbys follow. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { standbys: count = 2, synchronous = false, settings } = options;
  const servers = new TemporaryServers();
  const close = () => servers.close();
  const all = { ...commonSettings, ...settings };
  try {
    let primary = await servers.add(ClusterServer, { name: 'primary', settings: all });
    await createServer(primary);
    const standbys: Standby[] = [];
    for (let number = 1; number <= count; number += 1) {
      const standby = await servers.add(Standby, { name: `s${number}`, settings: all });
      standbys.push(standby);
      await createStandby(standby, primary);
    }
    await untilFollowed(primary, count);
    if (synchronous) {
      const names = standbys.map(({ name }) => name).join(', ');
      const setting = { synchronous_standby_names: `ANY 1 (${names})` };
      await Promise.all(servers.all.map((server) => server.configure(setting)));
    }
    return {
      get primary() {
        return primary;
      },
      standbys,
      urlOf(database) {
        const hosts = servers.all.map(({ port }) => `127.0.0.1:${port}`).join(',');
        return `postgres://postgres@${hosts}/${database}?target_session_attrs=read-write`;
      },
      kill: () => primary.kill(),
      async promote(standby) {
        const others = standbys.filter((each) => each !== standby);
        await Promise.all(others.map((other) => other.follow(standby)));
        await standby.query('SELECT pg_promote()');
        primary = standby;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Creates the data directory of a server and starts it. */
export async function createServer(server: ClusterServer): Promise<void> {
  const options = [
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--no-sync',
    '--no-instructions',
  ];
  await runProgram('initdb', [`--pgdata=${server.directory}`, ...options]);
  await server.start();
}

async function createStandby(standby: Standby, { port }: ClusterServer): Promise<void> {
  const primary = ['--host=127.0.0.1', `--port=${port}`, '--username=postgres'];
  const options = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
  await runProgram('pg_basebackup', [`--pgdata=${standby.directory}`, ...primary, ...options]);
  await standby.start();
}

async function untilFollowed(primary: ClusterServer, count: number): Promise<void> {
  const streaming = "SELECT FROM pg_stat_replication WHERE state = 'streaming'";
  await until(async () => (await primary.query(streaming)).length === count);
}
