import { randomFillSync } from 'node:crypto';

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const prefixLength = 8;
const positionDigits = 8;
const employeeIdPattern = new RegExp(`^[a-z0-9]{${prefixLength + positionDigits}}$`);

/** Makes an unguessable id of `[a-z0-9]`; the default length carries 129 bits. */
export function randomId(length = 25): string {
  let id = '';
  while (id.length < length) {
    const byte = randomByte();
    // The bytes beyond the last multiple of the alphabet's size would favour its first letters.
    if (byte < 256 - (256 % alphabet.length)) id += alphabet[byte % alphabet.length];
  }
  return id;
}

/** Random bytes are had cheaper by the thousand; none is used twice. */
const pool = Buffer.alloc(4096);
let used = pool.length;

function randomByte(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const byte = pool.readUInt8(used);
  used += 1;
  return byte;
}

/** Makes the part of employee ids that is the account's. */
export function randomEmployeePrefix(): string {
  return randomId(prefixLength);
}

/** Makes the id of the employee at a position; ids of an account sort as its positions do. */
export function employeeId(prefix: string, position: bigint): string {
  return prefix + position.toString(36).padStart(positionDigits, '0');
}

/** Takes an employee id apart; undefined when it is none. */
export function parseEmployeeId(id: string): { prefix: string; position: bigint } | undefined {
  if (!employeeIdPattern.test(id)) return undefined;
  let position = 0n;
  for (const digit of id.slice(prefixLength)) position = position * 36n + BigInt(Number.parseInt(digit, 36));
  return { prefix: id.slice(0, prefixLength), position };
}
