import { toAccountId } from '../../platform/accounts/account-id.js';
import { dayMilliseconds, utcDate } from '../../platform/clock.js';
import { restrictableAttributes } from '../../platform/contract/employee-attributes.js';
import { hashSecret } from '../../platform/crypto/keyring.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import { employeeId } from '../../platform/database/ids.js';
import { allAccounts, withScope } from '../../platform/database/scope.js';
import { type GivenValues, givenAttributes, insertEmployees, type NewEmployee } from '../employees/index.js';
import { type DemoAccount, demoAccounts, demoBackend, demoPassword } from './accounts.js';

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
function demoEmployees(account: DemoAccount, now: Date): NewEmployee[] {
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
      hireDate: utcDate(hiredAt),
      managerId: managerOf(account, index),
      terminationDate: status === 'terminated' ? utcDate(hiredAt > updatedAt ? hiredAt : updatedAt) : null,
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

/** Saved reports of the first demo account. */
const demoReports = [
  {
    id: 'demoheadcount',
    title: 'Headcount by department',
    description: 'How many people work in each department, including those on leave.',
    columns: [],
    filters: [{ field: 'status', operator: 'in', value: ['active', 'on_leave'] }],
    sort: ['department'],
    groupBy: ['department'],
  },
  {
    id: 'demoengineering',
    title: 'Engineering directory',
    description: 'Everyone in Engineering, by last name.',
    columns: ['employee_number', 'first_name', 'last_name', 'email'],
    filters: [
      { field: 'department', operator: 'eq', value: 'Engineering' },
      { field: 'status', operator: 'not_eq', value: 'terminated' },
    ],
    sort: ['last_name', 'first_name'],
    groupBy: [],
  },
  {
    id: 'demoonleave',
    title: 'On leave',
    description: null,
    columns: ['employee_number', 'first_name', 'last_name', 'department'],
    filters: [{ field: 'status', operator: 'eq', value: 'on_leave' }],
    sort: ['-department', 'last_name'],
    groupBy: [],
  },
];

interface DemoDataOptions {
  /** Hashes a password for storage. */
  readonly hashPassword: (plain: string) => Promise<string>;
  /** The dates of the data are relative to this time. */
  readonly now: Date;
  /** Public address of the server, for redirect URIs. */
  readonly baseUrl: string;
}

// Any number that no other advisory lock of this service uses.
const advisoryLock = 72_707_370;

/**
 * Fills an empty database with the demo accounts. When several processes start, one of them fills it.
 *
 * @returns false when the database already has accounts; it is not changed
 */
export function fillDemoData(database: Database, options: DemoDataOptions): Promise<boolean> {
  return withScope(allAccounts, () => fill(database, options));
}

async function fill(database: Database, { hashPassword, ...options }: DemoDataOptions): Promise<boolean> {
  if ((await database.prisma.account.findFirst({ select: { id: true } })) !== null) return false;
  // Outside the transaction, because hashing is slow. Each hash has its own salt.
  const users = demoAccounts.flatMap((account) => account.users);
  const hashes = new Map(
    await Promise.all(users.map(async ({ id }) => [id, await hashPassword(demoPassword)] as const)),
  );
  return database.prisma.$transaction(
    async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLock})`;
      if ((await tx.account.findFirst({ select: { id: true } })) !== null) return false;
      for (const account of demoAccounts) await fillAccount(tx, account, hashes, options);
      await fillReports(tx, options.now);
      return true;
    },
    { maxWait: 30_000, timeout: 60_000 },
  );
}

async function fillAccount(
  tx: Prisma.TransactionClient,
  account: DemoAccount,
  hashes: ReadonlyMap<string, string>,
  { now, baseUrl }: Pick<DemoDataOptions, 'now' | 'baseUrl'>,
): Promise<void> {
  const { id: accountId, name, employeePrefix } = account;
  const dates = { createdAt: now, updatedAt: now };
  await tx.account.create({
    data: { id: accountId, name, employeePrefix, createdAt: now, historySince: now },
  });
  await tx.user.createMany({
    data: account.users.map((user) => ({
      ...user,
      ...dates,
      accountId,
      emailVerified: true,
      locale: 'en-GB',
      zoneinfo: 'Europe/London',
      passwordHash: hashes.get(user.id) ?? '!',
    })),
  });
  for (const { clientSecret, ...application } of account.applications) {
    const redirectUris = application.redirectUris.map((uri) =>
      uri.startsWith('/') ? `${baseUrl}${uri}` : uri,
    );
    await tx.application.create({
      data: {
        ...application,
        ...dates,
        accountId,
        scopes: [...application.scopes],
        readableAttributes: [...restrictableAttributes],
        redirectUris,
        postLogoutRedirectUris: [...application.postLogoutRedirectUris],
        inDevelopment: redirectUris.some((uri) => uri.startsWith('http://')),
        clientType: clientSecret === undefined ? 'public' : 'confidential',
        createdById: account.users[0]?.id ?? null,
      },
    });
    if (clientSecret === undefined) continue;
    await tx.applicationSecret.create({
      data: {
        id: `secret${application.clientId}`,
        accountId,
        applicationId: application.id,
        secretHash: hashSecret(clientSecret),
        createdAt: now,
      },
    });
  }
  await insertEmployees(tx, toAccountId(accountId), demoEmployees(account, now));
}

async function fillReports(tx: Prisma.TransactionClient, now: Date): Promise<void> {
  const [account] = demoAccounts;
  if (account === undefined) return;
  await tx.report.createMany({
    data: demoReports.map((report) => ({
      ...report,
      accountId: account.id,
      createdByUserId: account.users[0]?.id ?? null,
      createdAt: now,
      updatedAt: now,
    })),
  });
}

/** Whether the database has the application of the demo data whose credentials the documentation uses. */
export async function hasDemoApplication(database: Database): Promise<boolean> {
  const { clientId, accountId } = demoBackend;
  const found = await withScope(allAccounts, () =>
    database.prisma.application.findFirst({ where: { accountId, clientId }, select: { id: true } }),
  );
  return found !== null;
}
