// Loaded into a process before its own code. Makes its writes fail as on a full disk. A real full disk needs the right to
// mount one, which not every machine that runs the tests grants.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const roomFile = process.env.TEST_DISK_ROOM_FILE ?? '';
const { unlinkSync, writeSync } = fs;

/** Bytes that were added to files since the space was limited. */
let used = 0;

/** Bytes that may still be added to files. */
function freeSpace() {
  if (fs.existsSync(roomFile)) return Number(fs.readFileSync(roomFile, 'utf8')) - used;
  used = 0;
  return Number.POSITIVE_INFINITY;
}

function noSpace() {
  const properties = { errno: -28, code: 'ENOSPC', syscall: 'write' };
  return Object.assign(new Error('ENOSPC: no space left on device, write'), properties);
}

fs.writeSync = (descriptor, data, offset, length, position) => {
  if (typeof position !== 'number') return writeSync(descriptor, data, offset, length, position);
  const { size } = fs.fstatSync(descriptor);
  // When there is not enough space for a write, the system writes a part of it, and the next write fails.
  const fitting = Math.min(length, Math.max(0, size - position) + Math.max(0, freeSpace()));
  if (fitting === 0 && length > 0) throw noSpace();
  const written = writeSync(descriptor, data, offset, fitting, position);
  used += Math.max(0, position + written - size);
  return written;
};
fs.unlinkSync = (path) => {
  const { size } = fs.lstatSync(path);
  unlinkSync(path);
  used -= size;
};

const { cp } = fs.promises;
fs.promises.cp = async (from, to, options) => {
  if (freeSpace() === Number.POSITIVE_INFINITY) return cp(from, to, options);
  // When there is not enough space for a copy, a part of it is written.
  await fs.promises.mkdir(to);
  throw noSpace();
};
syncBuiltinESMExports();
