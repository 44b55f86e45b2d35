import { customAlphabet } from 'nanoid';

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const accountIdLength = 13;
const prefixLength = 8;
const positionDigits = 8;
const employeeIdPattern = new RegExp(`^[a-z0-9]{${prefixLength + positionDigits}}$`);

const defaultLength = 25;

/** Makes an unguessable id of `[a-z0-9]`; the default length has 129 bits of entropy. */
export const randomId = customAlphabet(alphabet, defaultLength);

/** Makes an account id of 67 bits. It is in every row and index of account data, and it is not a secret. */
export function randomAccountId(): string {
  return randomId(accountIdLength);
}

/** Makes the part of employee ids that is the account's. */
export function randomEmployeePrefix(): string {
  return randomId(prefixLength);
}

/** Makes the id of the employee at a position; ids of an account sort as its positions do. */
export function employeeId(prefix: string, position: bigint): string {
  return prefix + position.toString(36).padStart(positionDigits, '0');
}

/**
 * Returns the position in an employee id, by which the employee is found in its account. For any other text it is -1,
 * which is no position.
 */
export function employeePosition(id: string): number {
  return employeeIdPattern.test(id) ? Number.parseInt(id.slice(prefixLength), 36) : -1;
}
