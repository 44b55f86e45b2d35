import { customAlphabet } from 'nanoid';

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const accountIdLength = 13;
const prefixLength = 8;
const positionDigits = 8;
/** Characters of the id of an employee. */
export const employeeIdLength = prefixLength + positionDigits;

const employeeIdPattern = new RegExp(`^[a-z0-9]{${employeeIdLength}}$`);

const defaultLength = 25;

/** Generates an unguessable id of `[a-z0-9]`; the default length has 129 bits of entropy. */
export const randomId = customAlphabet(alphabet, defaultLength);

/** Generates an account id of 67 bits. It is short, because every row and index of account data contains it; it is no secret. */
export function randomAccountId(): string {
  return randomId(accountIdLength);
}

/** Generates the prefix of the employee ids of an account. */
export function randomEmployeePrefix(): string {
  return randomId(prefixLength);
}

/** Returns the id of the employee at a position. Ids of an account sort like positions. */
export function employeeId(prefix: string, position: bigint): string {
  return prefix + position.toString(36).padStart(positionDigits, '0');
}

/**
 * Returns the position in an employee id, which is the key of the employee in its account; -1 for other strings, which is not
 * a position.
 */
export function employeePosition(id: string): number {
  return employeeIdPattern.test(id) ? Number.parseInt(id.slice(prefixLength), 36) : -1;
}

/** SQL for the eight digits in base 36 of an expression that is a position. */
export function positionDigitsSql(position: string): string {
  const digits = Array.from({ length: positionDigits }, (_, index) => {
    const digit = `(${position} / ${36 ** (positionDigits - index - 1)}::bigint % 36)::integer`;
    return `substr('0123456789abcdefghijklmnopqrstuvwxyz', ${digit} + 1, 1)`;
  });
  return digits.join(' || ');
}

/** SQL for {@link employeePosition} of an expression that is the id of an employee or NULL. */
export function employeePositionSql(id: string): string {
  const digits = Array.from({ length: positionDigits }, (_, index) => {
    const digit = `strpos('0123456789abcdefghijklmnopqrstuvwxyz', substr(${id}, ${prefixLength + index + 1}, 1)) - 1`;
    return `(${digit}) * ${36 ** (positionDigits - index - 1)}::bigint`;
  });
  return digits.join(' + ');
}
