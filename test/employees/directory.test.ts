import { Directory } from '../../src/features/employees/directory.js';
import { openTestDatabase } from '../support/database/database.js';
import { asOwner } from '../support/database/owner.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import t from '../support/tap.js';

const firstNames = ['Anna', 'Änne', 'An', 'Jean-Luc', 'Łucja', 'Bo', "D'Arcy", 'Maria José'];
const lastNames = ['Müller', 'Muller', "O'Brien", 'van der Berg', 'Ørsted', 'Groß', 'Li', 'Anders'];
const texts = 'a anna mul o arc van luc lu or gross zz jos'.split(' ');

/** Same result as `fold_for_search` for the names of this test. */
const fold = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll('ø', 'o')
    .replaceAll('ł', 'l')
    .replaceAll('ß', 'ss')
    .split(/[^a-z0-9]+/);

t.test('a search finds the same employees as a comparison with each word, also after changes', async (t) => {
  const database = await openTestDatabase(t);
  const employees = makeEmployees(60).map((employee, index) => ({
    ...employee,
    firstName: firstNames[(index * 7) % 8] ?? '',
    lastName: lastNames[(index * 5 + (index >> 3)) % 8] ?? '',
    email: `x${index}@company.example`,
  }));
  const { accountId } = await createTenant(database, { employees });
  await createTenant(database, { employees: employees.slice(0, 10) });
  const directory = new Directory(database);
  const compare = async () => {
    const rows = await database.prisma.employee.findMany({ where: { accountId } });
    for (const first of texts) {
      for (const second of ['', 'der']) {
        const text = `${first} ${second}`.trim();
        const expected = rows.filter(({ firstName, lastName, email, employeeNumber }) =>
          text
            .split(' ')
            .every(
              (part) =>
                fold(`${lastName} ${firstName}`).some((word) => word.startsWith(part)) ||
                email.startsWith(part) ||
                employeeNumber.toLowerCase().startsWith(part),
            ),
        );
        const page = await directory.read(accountId, { text, filter: {}, sort: [], size: 500, skip: 0 });
        t.same(
          page.employees.map(({ id }) => id),
          expected.map(({ id }) => id).sort(),
          text,
        );
        t.equal(page.count, expected.length, text);
      }
    }
  };
  await compare();
  await database.prisma.employee.updateMany({
    where: { accountId, position: { lt: 20 } },
    data: { firstName: 'Gro', lastName: 'Lund Maria' },
  });
  await database.prisma.employee.deleteMany({ where: { accountId, position: { gt: 50 } } });
  await compare();
});

t.test('the database folds text as searches expect', async (t) => {
  const database = await openTestDatabase(t);
  for (const [text, folded] of [
    ['Müller', 'muller'],
    ['M\u0075\u0308ller', 'muller'],
    ['ŁÓDŹ Ørsted', 'lodz orsted'],
    ['Æbel Þór Œuvre Straße', 'aebel thor oeuvre strasse'],
    ['İpek Işık', 'ipek isik'],
    ["O'Brien-Smith, J.", 'o brien smith j'],
    ['O’Brien', 'o brien'],
    ['Ωμέγα ЖУК', 'ωμεγα жук'],
    ['\u202Eabc\u2066 d', 'abc d'],
    ['山田 太郎', '山田 太郎'],
    ['%_\\', ''],
  ] as const) {
    const [row] = await asOwner<{ folded: string }>(
      database,
      `SELECT fold_for_search('${text.replaceAll("'", "''")}') AS folded`,
    );
    t.equal(row?.folded, folded, text);
  }
});

t.test('stores long names that Unicode expands', async (t) => {
  const database = await openTestDatabase(t);
  const { accountId } = await createTenant(database);
  const [employee] = makeEmployees(1);
  if (employee === undefined) throw new Error('no employee');
  const long = '\ufdfa'.repeat(255);
  await insertEmployees(database.prisma, accountId, [
    { ...employee, firstName: long, lastName: '😀'.repeat(127) },
  ]);
  const { count } = await new Directory(database).read(accountId, {
    text: '😀😀',
    filter: {},
    sort: [],
    size: 25,
    skip: 0,
  });
  t.equal(count, 1);
});
