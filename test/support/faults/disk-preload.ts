import fs, { type PathLike } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { roomVariable } from './disk.js';

// Is loaded into a process before its own code, and has its writes fail as those of a system do whose disk is full.
// A real one takes rights to mount it, which not everybody has.

const roomFile = process.env[roomVariable] ?? '';
const { unlinkSync } = fs;
const writeSync = fs.writeSync as (...given: unknown[]) => number;

/** Bytes that files have got since the room is limited. */
let used = 0;

/** Bytes that files may still get. */
function roomLeft(): number {
  if (fs.existsSync(roomFile)) return Number(fs.readFileSync(roomFile, 'utf8')) - used;
  used = 0;
  return Number.POSITIVE_INFINITY;
}

function write(...given: unknown[]): number {
  const [descriptor, data, offset, length, position] = given as [number, unknown, number, number, number];
  if (typeof position !== 'number') return writeSync(...given);
  const { size } = fs.fstatSync(descriptor);
  // Of a write for which there is too little room, the system does a part; the next one fails.
  const fitting = Math.min(length, Math.max(0, size - position) + Math.max(0, roomLeft()));
  if (fitting === 0 && length > 0) throw noSpace();
  const written = writeSync(descriptor, data, offset, fitting, position);
  used += Math.max(0, position + written - size);
  return written;
}

function noSpace(): Error {
  const properties = { errno: -28, code: 'ENOSPC', syscall: 'write' };
  return Object.assign(new Error('ENOSPC: no space left on device, write'), properties);
}

fs.writeSync = write as typeof fs.writeSync;
fs.unlinkSync = (path: PathLike) => {
  const { size } = fs.lstatSync(path);
  unlinkSync(path);
  used -= size;
};

const { cp } = fs.promises;
fs.promises.cp = async (from, to, options) => {
  if (roomLeft() === Number.POSITIVE_INFINITY) return cp(from, to, options);
  // Where there is no room for all of a copy, a part of it is made.
  await fs.promises.mkdir(to);
  throw noSpace();
};
syncBuiltinESMExports();
