import { givenAttributes } from '../../../src/features/employees/employee-attributes.js';
import type { CustomValue } from '../../../src/features/employees/index.js';
import type { AccountId } from '../../../src/platform/accounts/account-id.js';
import { restrictableAttributes } from '../../../src/platform/contract/employee-attributes.js';
import type { Random } from '../input/random.js';
import type { TestApp } from '../server/app.js';
import { markedValues, type Restricted } from './attribute-access.js';
import { defineAttributes } from './custom-attributes.js';
import { insertEmployees } from './insert-employees.js';
import { markedAttributes } from './marked-attributes.js';
import { createTenant, makeEmployees, type TestApplication } from './tenant.js';

interface Access {
  readonly restricted: Restricted;
  readonly chosen: readonly string[];
}

/** An employee as a test knows it. */
interface MarkedPerson {
  readonly id: string;
  /** The stored values of custom attributes. */
  custom: Record<string, CustomValue>;
  /** When an attribute last changed that an application may read. */
  readonly seenAt: (access: Access) => Date;
}

/**
 * Custom attributes of {@link markedAttributes}, employees with values, and changes of them.
 *
 * @param given an account without employees; default: a new one
 */
export async function markedPeople(api: Pick<TestApp, 'database'>, random: Random, given?: AccountId) {
  const { prisma } = api.database;
  const accountId = given ?? (await createTenant(api.database)).accountId;
  await defineAttributes(
    api.database,
    accountId,
    markedAttributes.map(({ value: _value, mark: _mark, ...definition }) => definition),
  );
  const records = makeEmployees(6).map((employee, index) => {
    const marked = markedAttributes.filter(() => index > 0 && random.chance(0.6));
    const custom = Object.fromEntries(marked.map(({ key, value }) => [key, value(random)]));
    return { ...employee, ...markedValues(index), custom };
  });
  const ids = await insertEmployees(prisma, accountId, records);
  const start = Date.UTC(2026, 1, 1);
  let minutes = 0;

  const known = records.map(({ custom, updatedAt }, index) => {
    const times = new Map<string, number>(givenAttributes.map(({ name }) => [name, updatedAt.getTime()]));
    const person: MarkedPerson = {
      id: ids[index] ?? '',
      custom,
      seenAt({ restricted, chosen }) {
        const hidden: readonly string[] = restricted;
        const readable = [...times].filter(([name]) =>
          name.startsWith('custom.') ? chosen.includes(name.slice('custom.'.length)) : !hidden.includes(name),
        );
        return new Date(Math.max(...readable.map(([, time]) => time)));
      },
    };
    return { person, times };
  });

  /** Changes values of an employee a minute after the last change. */
  async function change(id: string, { keys, location }: { keys: readonly string[]; location?: string }) {
    const found = known.find(({ person }) => person.id === id);
    if (found === undefined) throw new Error(`There is no employee ${id}`);
    const { person, times } = found;
    minutes += 1;
    const at = new Date(start + minutes * 60_000);
    const custom = { ...person.custom };
    for (const key of keys) {
      const { value } = markedAttributes.find((attribute) => attribute.key === key) ?? {};
      if (value === undefined) throw new Error(`There is no attribute ${key}`);
      const isRemoved = key in custom && random.chance(0.3);
      let next = value(random);
      while (JSON.stringify(next) === JSON.stringify(custom[key])) next = value(random);
      if (isRemoved) delete custom[key];
      else custom[key] = next;
      times.set(`custom.${key}`, at.getTime());
    }
    if (location !== undefined) times.set('location', at.getTime());
    const data = { custom, updatedAt: at, ...(location !== undefined && { location }) };
    await prisma.employee.updateMany({ where: { accountId, id }, data });
    person.custom = custom;
  }

  return {
    accountId,
    people: known.map(({ person }) => person),
    /** Changes some attributes of one employee: custom ones, and sometimes a standard one too. */
    async changeSome(): Promise<void> {
      const { person } = random.pick(known);
      const attributes = random.some(markedAttributes, 1 + random.upTo(3));
      const location = random.chance(0.25) ? `markedlocation${100 + minutes}` : undefined;
      await change(person.id, {
        keys: attributes.map(({ key }) => key),
        ...(location !== undefined && { location }),
      });
    },
    /** Changes one custom attribute of an employee. */
    changeOne: ({ id }: Pick<MarkedPerson, 'id'>, key: string) => change(id, { keys: [key] }),
    async archive(key: string): Promise<void> {
      await prisma.customAttribute.updateMany({
        where: { accountId, key },
        data: { archivedAt: new Date() },
      });
    },
    /** Lets an application read attributes, from its next request on. */
    async allow({ id }: TestApplication, { restricted, chosen }: Access): Promise<void> {
      const standard = restrictableAttributes.filter((name) => !restricted.includes(name));
      const readableAttributes = [...standard, ...chosen.map((key) => `custom.${key}`)];
      await prisma.application.updateMany({ where: { accountId, id }, data: { readableAttributes } });
    },
  };
}
