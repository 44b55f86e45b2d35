import { customAlphabet } from 'nanoid';

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const prefixLength = 8;
const positionDigits = 8;
const employeeIdPattern = new RegExp(`^[a-z0-9]{${prefixLength + positionDigits}}$`);

const defaultLength = 25;

/** Makes an unguessable id of `[a-z0-9]`; the default length has 129 bits of entropy. */
export const randomId = customAlphabet(alphabet, defaultLength);

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
