import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../server/free-port.js';
import type { ClusterServer, Settings } from './cluster-server.js';
import { giveToUser } from './programs.js';

/** Servers with a common temporary directory. They are killed when the process exits. */
export class TemporaryServers {
  readonly all: ClusterServer[] = [];
  readonly #root = mkdtempSync(path.join(os.tmpdir(), 'people-api-cluster-'));

  constructor() {
    giveToUser(this.#root);
    process.once('exit', this.#abandon);
  }

  /** Adds a server, which is not started. */
  async add<Server extends ClusterServer>(
    Kind: new (options: ConstructorParameters<typeof ClusterServer>[0]) => Server,
    { name, settings }: { name: string; settings: Settings },
  ): Promise<Server> {
    const port = await freePort();
    const own = { port: String(port), cluster_name: name };
    const directory = path.join(this.#root, name);
    const server = new Kind({ name, port, directory, settings: { ...settings, ...own } });
    this.all.push(server);
    return server;
  }

  /** Kills the servers and removes their data. */
  async close(): Promise<void> {
    process.off('exit', this.#abandon);
    await Promise.all(this.all.map((server) => server.kill()));
    await rm(this.#root, { recursive: true, force: true });
  }

  readonly #abandon = () => {
    for (const server of this.all) server.abandon();
  };
}
