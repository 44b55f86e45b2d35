import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DatabaseOpenError, describeError } from '../database-errors.js';

const prefix = 'pglite.socket.';

/** Maximum bytes of the address of a Unix domain socket, on Linux 107 and on macOS 103. */
const maximumAddressBytes = 103;

/** How often, and after how many milliseconds, the process with the first name looks for others that give up. */
const attempts = 40;
const pauseMs = 50;

/**
 * Locks a data directory for this process, and creates it if it is missing.
 *
 * The lock is a Unix domain socket in the directory on which the process listens. Node.js has no `flock`; like it, the
 * operating system releases the lock when the process ends in any way, so process ids are not compared. It excludes all
 * processes of one kernel that open the directory, also from containers that share a volume. It does not exclude
 * processes of other machines, or of other virtual machines, that share a network file system. The directory must be on a
 * file system that supports sockets.
 *
 * Each process first publishes a socket with a name of its own, and then looks for the sockets of others. So of two
 * processes at least one finds the other. A socket on which no process listens is never used again and can be removed.
 *
 * @returns function that releases the lock
 * @throws {DatabaseOpenError} when another process holds the lock or the directory cannot be written
 */
export async function lockDataDir(directory: string): Promise<() => Promise<void>> {
  try {
    await mkdir(directory, { recursive: true });
    const handle = await open(directory);
    try {
      return await lock(directory, addressesIn(directory, handle.fd));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof DatabaseOpenError) throw error;
    throw new DatabaseOpenError(`DATA_DIR: ${describeError(error)}`, { cause: error });
  }
}

type AddressOf = (name: string) => string;

/** Addresses of the sockets in a directory. On Linux, a long path is replaced by that of the open directory. */
function addressesIn(directory: string, fd: number): AddressOf {
  // Node.js truncates a longer address.
  const isShort = Buffer.byteLength(path.join(directory, draftOf(newName()))) <= maximumAddressBytes;
  if (!isShort && process.platform !== 'linux')
    throw new DatabaseOpenError(`DATA_DIR: the path ${directory} is too long for a Unix domain socket`);
  const base = isShort ? directory : `/proc/self/fd/${fd}`;
  return (name) => path.join(base, name);
}

/** Begins with the time, so that the socket of a process that holds the lock mostly comes first. */
function newName(): string {
  return `${prefix}${Date.now()}.${randomUUID().slice(0, 8)}`;
}

function draftOf(name: string): string {
  return `new.${name}`;
}

async function lock(directory: string, addressOf: AddressOf): Promise<() => Promise<void>> {
  const name = newName();
  const file = path.join(directory, name);
  const draft = draftOf(name);
  const server = net.createServer((socket) => socket.destroy());
  const release = async () => {
    await rm(file, { force: true });
    server.close();
  };
  try {
    server.listen(addressOf(draft)).unref();
    await once(server, 'listening');
    // Renamed when it listens, so that no other process takes it for the socket of an ended one.
    await rename(path.join(directory, draft), file);
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const others = await findOthers(directory, { name, addressOf });
      if (others.length === 0) return release;
      // Of processes that start at the same time, the first name stays.
      if (others.some((other) => other < name)) break;
      await wait(pauseMs);
    }
  } catch (error) {
    await release().catch(() => {});
    throw error;
  }
  await release();
  throw new DatabaseOpenError(
    `DATA_DIR: ${directory} is in use by another process; stop it, choose another DATA_DIR or set DATABASE_URL`,
  );
}

/** Removes the sockets of ended processes. @returns the names of the others' sockets */
async function findOthers(
  directory: string,
  { name, addressOf }: { readonly name: string; readonly addressOf: AddressOf },
): Promise<string[]> {
  const others: string[] = [];
  for (const other of await readdir(directory)) {
    if (!other.startsWith(prefix) || other === name) continue;
    if (await isListening(addressOf(other))) others.push(other);
    else await rm(path.join(directory, other), { force: true });
  }
  return others;
}

/** Whether a process listens on a socket. @throws when that is unknown, for example without the permission to connect */
async function isListening(address: string): Promise<boolean> {
  const socket = net.connect(address);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED' || code === 'ENOENT') return false;
    // The owner has not accepted earlier connections yet, or has ended before it accepted this one.
    if (code === 'EAGAIN' || code === 'ECONNRESET') return true;
    throw error;
  } finally {
    socket.destroy();
  }
}
