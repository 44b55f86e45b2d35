import { restrictableAttributes } from '../../src/platform/contract/employee-attributes.js';
import { createRandom } from '../support/input/random.js';
import { type Resource, type Restricted, received } from '../support/records/attribute-access.js';
import { archivedKey, markedAttributes, marksIn } from '../support/records/marked-attributes.js';
import { markedPeople } from '../support/records/marked-people.js';
import { createApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';
import { deliveryScene } from '../support/webhooks/scene.js';

const api = await buildTestApp(t);
const { prisma } = api.database;
const random = createRandom(28_112_026);

const everyKey = markedAttributes.map(({ key }) => key);
const activeKeys = everyKey.filter((key) => key !== archivedKey);

t.test(
  'a delivery has the events of the feed, without custom attributes that the application may not read',
  async (t) => {
    const scene = await deliveryScene(t, api);
    const { application, token, receiver, run } = scene;
    const { people, changeSome, changeOne, archive, allow } = await markedPeople(
      api,
      random,
      scene.accountId,
    );
    await scene.create({ url: receiver.url });
    let after: string = (await api.get('/v1/events?page[size]=500', token)).json().meta.next_cursor;
    for (let round = 0; round < 8; round += 1) {
      const chosen = everyKey.filter(() => random.chance(round % 2 === 0 ? 0.5 : 0.2));
      const restricted: Restricted = round % 3 === 0 ? restrictableAttributes : [];
      await allow(application, { restricted, chosen });
      if (round === 4) await archive(archivedKey);
      const isArchived = round >= 4;
      for (let number = 0; number < 4; number += 1) {
        const [person] = people;
        if (isArchived && person !== undefined) await changeOne(person, random.pick(activeKeys));
        else await changeSome();
      }
      const before = receiver.received.length;
      await run();
      const deliveries = receiver.received.slice(before);
      const feed = (await api.get(`/v1/events?page[size]=500&page[after]=${after}`, token)).json();
      after = feed.meta.next_cursor;
      const label = `round ${round}, chosen: ${chosen}`;
      t.same(
        deliveries.flatMap(({ body }) => body.data),
        feed.data,
        label,
      );
      const text = deliveries.map(({ text, headers }) => `${text}${JSON.stringify(headers)}`).join();
      const hidden = everyKey.filter((key) => !chosen.includes(key) || (isArchived && key === archivedKey));
      t.same(
        marksIn(text).filter((key) => hidden.includes(key)),
        [],
        label,
      );
      if (chosen.length === 0) t.notMatch(text, 'custom');
    }
  },
);

t.test(
  'a change of only a custom attribute that was deleted is not in the feed of any application',
  async (t) => {
    const { accountId, people, changeOne, archive } = await markedPeople(api, random);
    const [person, other] = people;
    if (person === undefined || other === undefined) throw new Error('There are too few employees');
    await changeOne(person, archivedKey);
    await changeOne(other, 'kq_note');
    await archive(archivedKey);
    // As the deletion of an attribute leaves the rows.
    await prisma.$executeRaw`
    UPDATE employees SET custom = custom - ${archivedKey}::text WHERE account_id = ${accountId}`;
    await prisma.$executeRaw`
    UPDATE events SET changed = array_remove(changed, ${`custom.${archivedKey}`}),
      attributes = (attributes::jsonb #- ARRAY['custom', ${archivedKey}]::text[])::json
    WHERE account_id = ${accountId} AND type LIKE 'employee.%'`;
    await prisma.customAttribute.deleteMany({ where: { accountId, key: archivedKey } });
    const [deleted] = await prisma.event.findMany({
      where: { accountId, type: 'employee.updated', resourceId: person.id },
    });
    t.same(deleted?.changed, []);
    for (const restricted of [[], ['location'], restrictableAttributes])
      for (const chosen of [[], ['kq_note'], [archivedKey], ['kq_note', archivedKey]]) {
        const readableAttributes = [
          ...restrictableAttributes.filter((name) => !restricted.includes(name)),
          ...chosen.map((key) => `custom.${key}`),
        ];
        const application = await createApplication(api.database, accountId, { readableAttributes });
        const token = await api.token(application);
        const response = await api.get('/v1/events?filter[type]=employee.updated', token);
        const data: readonly Resource[] = response.json().data;
        t.same(
          data.map(({ changed }) => changed),
          chosen.includes('kq_note') ? [['custom.kq_note']] : [],
          `chosen: ${chosen}; restricted: ${restricted}`,
        );
        t.notOk(marksIn(received(response)).includes(archivedKey));
      }
  },
);
