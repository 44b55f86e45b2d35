import t from 'tap';
import { randomId } from '../../src/database/ids.js';
import { migrationsDirectory, readMigrations } from '../../src/database/migration-files.js';
import { noAccount, withScope } from '../../src/database/scope.js';
import { openTestDatabase } from '../support/database.js';
import { createTenant } from '../support/tenant.js';

const database = await openTestDatabase(t);
const script = (await readMigrations(migrationsDirectory)).find(({ name }) =>
  name.endsWith('_users'),
)?.script;

t.test('composes stored addresses, and leaves the second of two that would be the same', async (t) => {
  const { accountId } = await createTenant(database);
  const domain = `@${randomId(8)}.example`;
  const add = async (name: string, day: number) => {
    const id = randomId();
    const person = { givenName: 'Ada', familyName: 'Lovelace', role: 'member', passwordHash: '!' };
    const createdAt = new Date(Date.UTC(2026, 0, day));
    await database.prisma.user.create({
      data: { id, accountId, email: `${name}${domain}`, ...person, createdAt },
    });
    return id;
  };
  const composed = await add('\u00E9', 1);
  const ids = {
    ascii: await add('e', 2),
    composed,
    taken: await add('e\u0301', 3),
    decomposed: await add('u\u0308', 4),
    second: await add('o\u0323\u0302', 6),
    first: await add('o\u0302\u0323', 5),
  };
  // As a user whom the policies bind, outside of every account.
  await withScope(noAccount, () => database.prisma.$executeRawUnsafe(script ?? ''));
  const emailOf = async (id: string) =>
    (await database.prisma.user.findUniqueOrThrow({ where: { id } })).email;
  const names = Object.entries(ids).map(async ([name, id]) => [
    name,
    (await emailOf(id)).replace(domain, ''),
  ]);
  t.same(Object.fromEntries(await Promise.all(names)), {
    ascii: 'e',
    composed: '\u00E9',
    taken: 'e\u0301',
    decomposed: '\u00FC',
    first: '\u1ED9',
    second: 'o\u0323\u0302',
  });
});
