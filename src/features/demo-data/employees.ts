import { dayMilliseconds } from '../../platform/clock.js';
import { employeeId } from '../../platform/database/ids.js';
import { type GivenValues, givenAttributes, type NewEmployee } from '../employees/index.js';
import type { DemoAccount } from './accounts.js';

/** First names of the demo employees, from many countries. */
const firstNames = (
  'Amara Bjørn Chiara Darius Eun-ji Farid Grace Hiroshi Ingrid Jamal Katarzyna Luca María Nikhil Oluwaseun ' +
  'Priya Quinn Rosa Samir Thandiwe Uma Viktor Wei Ximena Yusuf Zoë Aaliyah Benedikt Camille Dmitri Esther ' +
  'Fatima Gabriel Hannah Ibrahim José Kwame Leila Mateus Nadia Oscar Petra Rania Sven Tomás Valentina ' +
  'Zainab'
).split(' ');

/** Last names of the demo employees, from many countries. */
const lastNames = (
  'Adeyemi Andersson Bianchi Chen Costa Dlamini Dubois Eriksen Fernández Fischer García Gupta Haddad Hansen ' +
  "Ivanova Jansen Johnson Kaya Kim Kowalski Larsen Lopez MacDonald Mensah Müller Nakamura Nguyen Novák O'Brien " +
  'Okonkwo Patel Pereira Petrov Rahman Rossi Santos Sato Schmidt Silva Singh Smith Tanaka Torres Wagner Wang ' +
  'Williams Yamamoto Yilmaz Zhang Ziegler Østergaard Ramírez Lindqvist'
).split(' ');

/** Generates the employees of a demo account. They are always the same, with dates relative to `now`. */
export function demoEmployees(account: DemoAccount, now: Date): NewEmployee[] {
  const addresses = new Set<string>();
  return Array.from({ length: account.employeeCount }, (_, index) => {
    const firstName = pick(firstNames, index * 7 + account.employeeCount);
    const lastName = pick(lastNames, index * 11 + account.employeeCount);
    const createdAt = new Date(now.getTime() - (1_500 - index * 9) * dayMilliseconds - index * 3_671_003);
    // Within the last year, but not before the creation.
    const updatedAt = new Date(
      Math.max(createdAt.getTime(), now.getTime() - ((index * 37) % 365) * dayMilliseconds - 5_400_000),
    );
    // Employees are recorded two weeks before their first day.
    const hiredAt = new Date(createdAt.getTime() + 14 * dayMilliseconds);
    const status = statusOf(index);
    return {
      ...listedValues(index),
      employeeNumber: `E${String(index + 1).padStart(4, '0')}`,
      firstName,
      lastName,
      email: address(firstName, lastName, account.emailDomain, addresses),
      status,
      hireDate: dateOf(hiredAt),
      managerId: managerOf(account, index),
      terminationDate: status === 'terminated' ? dateOf(hiredAt > updatedAt ? hiredAt : updatedAt) : null,
      createdAt,
      updatedAt,
    };
  });
}

/** The values of the attributes that have `demoValues`. */
function listedValues(index: number): Pick<GivenValues, 'department'> {
  const listed = givenAttributes.flatMap(({ member, demoValues }) =>
    demoValues === undefined ? [] : [[member, pick(demoValues, index)]],
  );
  return Object.fromEntries(listed);
}

/** A tree with eight reports for each manager, or more if one is not active. The first employee has no manager. */
function managerOf({ employeePrefix }: DemoAccount, index: number): string | null {
  if (index === 0) return null;
  let manager = Math.floor((index - 1) / 8);
  while (statusOf(manager) !== 'active') manager -= 1;
  return employeeId(employeePrefix, BigInt(manager));
}

function dateOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

function statusOf(index: number): string {
  if (index % 17 === 9) return 'on_leave';
  if (index % 23 === 14) return 'terminated';
  if (index % 41 === 20) return 'inactive';
  return 'active';
}

function address(firstName: string, lastName: string, domain: string, taken: Set<string>): string {
  const local = [firstName, lastName].map(asciiOf).join('.');
  let email = `${local}@${domain}`;
  for (let number = 2; taken.has(email); number += 1) email = `${local}${number}@${domain}`;
  taken.add(email);
  return email;
}

function asciiOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('ø', 'o')
    .normalize('NFD')
    .replace(/[^a-z]/g, '');
}

function pick<Value>(values: readonly Value[], index: number): Value {
  return values[index % values.length] as Value;
}
