import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { change } from '../../../src/platform/changes/change.js';
import { lock } from '../../../src/platform/changes/locks.js';
import { accountScope, allAccounts, currentScope, withScope } from '../../../src/platform/database/scope.js';
import { packageRoot } from '../../../src/platform/package-root.js';
import { openTestDatabase } from '../../support/database/database.js';
import { createTenant } from '../../support/records/tenant.js';
import t from '../../support/tap.js';

const database = await openTestDatabase(t);
const { prisma } = database;
const at = new Date('2026-03-29T01:30:00.123Z');
const origin = { address: '192.0.2.1', requestId: 'request' };

const eventsOf = (accountId: string) =>
  withScope(allAccounts, () =>
    prisma.auditEvent.findMany({ where: { accountId }, omit: { id: true }, orderBy: { type: 'asc' } }),
  );

t.test('stores the events of a change with its context, or with the actor of an event', async (t) => {
  const { accountId, application } = await createTenant(database);
  const context = { accountId, applicationId: application.id, userId: 'user', origin, at };
  const clientId = await change(prisma, context, lock.application, async (unit, locked) => {
    await unit.record('application.secret_created');
    await unit.record('user.created', { user: 'new' }, { userId: 'new' });
    await unit.recordAll([{ type: 'grant.revoked', applicationId: 'other', details: { grant: 'one' } }]);
    return locked?.clientId;
  });
  t.equal(clientId, application.clientId);
  const same = { accountId, address: origin.address, requestId: origin.requestId, createdAt: at };
  const own = { ...same, userId: 'user', applicationId: application.id };
  t.same(await eventsOf(accountId), [
    { ...own, type: 'application.secret_created', details: {} },
    { ...own, type: 'grant.revoked', applicationId: 'other', details: { grant: 'one' } },
    { ...own, type: 'user.created', userId: 'new', details: { user: 'new' } },
  ]);
});

t.test('stores neither the change nor its events after an error', async (t) => {
  const { accountId } = await createTenant(database);
  const failed = change(prisma, { accountId, at }, lock.account, async (unit) => {
    await unit.tx.account.update({ where: { id: accountId }, data: { name: 'Changed' } });
    await unit.record('account.created');
    throw new Error('failed');
  });
  await t.rejects(failed, { message: 'failed' });
  t.same(await eventsOf(accountId), []);
  const account = await withScope(allAccounts, () =>
    prisma.account.findUniqueOrThrow({ where: { id: accountId } }),
  );
  t.not(account.name, 'Changed');
});

t.test('runs in the scope of the account, also for the operator', async (t) => {
  const { accountId } = await createTenant(database);
  const scope = await withScope(allAccounts, () =>
    change(prisma, { accountId, at }, lock.nothing, async () => currentScope(allAccounts)),
  );
  t.equal(scope, accountScope(accountId));
});

/** Files that open a transaction themselves, and the reason. */
const others: Readonly<Record<string, string>> = {
  'features/demo-data/fill.ts': 'creates the accounts',
  'features/imports/employee-imports.ts':
    'one event for many transactions, and transactions that are rolled back',
  'features/imports/uploads/stored-file.ts': 'replaces the content of an upload that no other work reads yet',
  'features/imports/uploads/upload-queue.ts': 'background work, which holds a lease instead of a lock',
  'features/single-sign-on/account-domains.ts': 'reads the domain of another account',
  'features/webhooks/delivery/webhook-worker.ts': 'claims endpoints of all accounts',
  'oauth/clients/publications.ts': 'deletes the installations of all accounts',
  'oauth/keys/signing-key-store.ts': 'signing keys belong to no account',
  'oauth/recorded-issuer.ts': 'the issuer belongs to no account',
  'platform/accounts/sessions.ts': 'revokes a session before its account is known',
  'platform/crypto/reseal-table.ts': 're-encrypts the secrets of all accounts',
  'platform/database/postgresql/conflict-retry.ts': 'repeats transactions',
  'platform/idempotency/idempotency.ts': 'the transaction of a request, with its key and its response',
};

t.test('all other changes use `change`', (t) => {
  const source = path.join(packageRoot, 'src');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      /\.tsx?$/.test(file) &&
      !file.includes('generated') &&
      readFileSync(path.join(source, file), 'utf8').includes('$transaction('),
  );
  t.same(files.sort(), [...Object.keys(others), 'platform/changes/change.ts'].sort());
  t.end();
});
