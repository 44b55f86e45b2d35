import { toAccountId } from '../../platform/accounts/account-id.js';
import { hashSecret } from '../../platform/crypto/keyring.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import { allAccounts, withScope } from '../../platform/database/scope.js';
import { insertEmployees } from '../employees/index.js';
import { type DemoAccount, demoAccounts, demoBackend, demoPassword } from './accounts.js';
import { demoEmployees } from './employees.js';

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
  await tx.account.create({ data: { id: accountId, name, employeePrefix, createdAt: now } });
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
    await tx.application.create({
      data: {
        ...application,
        ...dates,
        accountId,
        scopes: [...application.scopes],
        redirectUris: application.redirectUris.map((uri) => (uri.startsWith('/') ? `${baseUrl}${uri}` : uri)),
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
