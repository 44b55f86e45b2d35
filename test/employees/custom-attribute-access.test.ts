import { restrictableAttributes } from '../../src/platform/contract/employee-attributes.js';
import { createRandom } from '../support/input/random.js';
import {
  type Access,
  accessName,
  accessScene,
  activeKeys,
  randomAccess,
} from '../support/records/access-scene.js';
import type { Resource } from '../support/records/attribute-access.js';
import { archivedKey, marksIn } from '../support/records/marked-attributes.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const random = createRandom(20_261_128);
const scene = await accessScene(api, random);
const { people, changeOne, readAll, allow, get, paths, calls, feed, customOnly, mixed } = scene;

/** Random ones beside none and all. test/all/employees/attribute-access-sets.test.ts has a thousand. */
const someAccesses = Array.from({ length: 3 }, () => randomAccess(random));
const accesses: readonly Access[] = [
  { restricted: [], chosen: [] },
  { restricted: restrictableAttributes, chosen: [] },
  { restricted: [], chosen: activeKeys },
  ...someAccesses,
];

t.test(
  'an application that may read all custom attributes reads what is stored, except archived ones',
  async (t) => {
    const { data } = await readAll('/v1/employees?page[size]=100');
    const values = (data as readonly Resource[]).map(({ attributes }) => attributes?.custom);
    const stored = people.map(({ custom: { [archivedKey]: _, ...active } }) => active);
    t.same(values, stored);
    t.ok(people.some(({ custom }) => archivedKey in custom));
    t.same(marksIn(JSON.stringify(data)).sort(), activeKeys.toSorted(), 'there are values of each one');
    t.ok(customOnly.length >= 4 && mixed.length >= 3, 'there are events of both kinds');
    t.ok(feed.length < 500);
  },
);

t.test(
  'no response has the key or a value of a custom attribute that the application may not read, and each has the others',
  async (t) => {
    for (const access of accesses) {
      await allow(access);
      const differences: string[] = [];
      for (const path of paths) {
        const difference = scene.differenceIn(path, await get(path), access);
        if (difference !== undefined) differences.push(difference);
      }
      for (const call of calls) {
        const difference = await scene.differenceOfCall(call, access);
        if (difference !== undefined) differences.push(difference);
      }
      t.same(differences.slice(0, 2), [], `${differences.length} differences, ${accessName(access)}`);
    }
  },
);

t.test(
  'updated_at is the last change that the application may read, also in filters and orders',
  async (t) => {
    for (const access of accesses) {
      await allow(access);
      const seen = people.map((person) => ({ id: person.id, at: person.seenAt(access) }));
      const times = seen.map(({ at }) => at.getTime()).sort((one, other) => one - other);
      const [from, to] = [1, 4].map((index) => new Date(times[index] ?? 0)) as [Date, Date];
      const listed = async (query: string): Promise<readonly Resource[]> =>
        (await get(`/v1/employees?${query}`)).json().data;
      const idsOf = (found: readonly { id: string }[]) => found.map(({ id }) => id);
      const label = accessName(access);
      t.same(
        (await listed('')).map(({ id, attributes }) => ({
          id,
          at: new Date(String(attributes?.updated_at)),
        })),
        seen,
        label,
      );
      const later = idsOf(seen.filter(({ at }) => at >= from));
      t.same(idsOf(await listed(`filter[updated_since]=${from.toISOString()}`)), later, label);
      t.same(
        idsOf(
          await listed(
            `filter[updated_at][gte]=${from.toISOString()}&filter[updated_at][lt]=${to.toISOString()}`,
          ),
        ),
        idsOf(seen.filter(({ at }) => at >= from && at < to)),
        label,
      );
      const latest = seen.toSorted((one, other) => other.at.getTime() - one.at.getTime());
      t.same(idsOf(await listed('sort=-updated_at')), idsOf(latest), label);
    }
  },
);

t.test(
  'a change of only hidden custom attributes changes nothing that the application receives',
  async (t) => {
    const seenBy = async () => {
      const responses = [];
      for (const path of [
        ...paths,
        '/v1/employees?sort=-updated_at',
        '/v1/employees?filter[updated_since]=2026-03-01T00:00:00Z',
      ]) {
        const { body, headers } = await get(path);
        // The cursor of the end of the feed moves with every event.
        const shown = path.startsWith('/v1/events?')
          ? JSON.parse(body).data
          : body.replace(/"request_id":"[^"]*"/, '');
        responses.push([path, shown, headers.etag]);
      }
      return responses;
    };
    for (const access of [{ restricted: [], chosen: [] }, ...someAccesses]) {
      const hidden = activeKeys.filter((key) => !access.chosen.includes(key));
      if (hidden.length === 0) continue;
      await allow(access);
      const before = await seenBy();
      for (const key of random.some(hidden, 2)) await changeOne(random.pick(people.slice(0, 3)), key);
      t.same(await seenBy(), before, accessName(access));
    }
  },
);

t.test(
  'a change of a custom attribute that the application may read is one event, and changes the ETag',
  async (t) => {
    for (const key of activeKeys) {
      const [person] = people;
      if (person === undefined) throw new Error('There is no employee');
      await allow({ restricted: [], chosen: [key] });
      const path = `/v1/employees/${person.id}`;
      const before = await get(path);
      const { meta } = (await get('/v1/events?page[size]=500')).json();
      await changeOne(person, key);
      const after = await get(path);
      t.not(after.headers.etag, before.headers.etag);
      const { data } = (await get(`/v1/events?page[after]=${meta.next_cursor}`)).json();
      t.same(
        data.map(({ changed }: Resource) => changed),
        [[`custom.${key}`]],
      );
      t.same(data[0].resource.attributes, after.json().data.attributes);
    }
  },
);
