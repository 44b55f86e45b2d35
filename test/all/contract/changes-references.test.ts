import { findChanges } from '../../support/contract/contract-changes.js';
import { type Change, type Node, put, schema, valueAt } from '../../support/contract/contract-edits.js';
import t from '../../support/tap.js';

const members = schema('EmployeeAttributes', 'properties');
const limited = { type: 'string', 'x-max-bytes': 10, 'x-extensible-enum': ['one', 'two'] };
const refersTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

t.test('reports only the new component when a schema moves to a component', async (t) => {
  const changes = findChanges(
    t,
    [put(schema('Limited'), limited), put([...members, 'limited'], refersTo('Limited'))],
    [put([...members, 'limited'], limited)],
  );
  t.same(
    changes.map(({ impact, at }) => [impact, at]),
    [['editorial', '#/components/schemas/Limited']],
  );
});

t.test(
  'reports breaking when the component that a schema moves to has other numbers or fewer values',
  async (t) => {
    const changes = findChanges(
      t,
      [
        put(schema('Limited'), { ...limited, 'x-max-bytes': 9, 'x-extensible-enum': ['one'] }),
        put([...members, 'limited'], refersTo('Limited')),
      ],
      [put([...members, 'limited'], limited)],
    );
    t.same(
      changes.filter(({ impact }) => impact === 'breaking').map(({ at }) => at),
      ['#/components/schemas/Limited/x-extensible-enum', '#/components/schemas/Limited/x-max-bytes'],
    );
  },
);

t.test('reports breaking when a response refers to another schema', async (t) => {
  const before = [
    put(schema('One'), { type: 'object', properties: { color: { type: 'string' } } }),
    put(schema('Two'), { type: 'object', properties: { size: { type: 'string' } } }),
    put([...members, 'part'], refersTo('One')),
  ];
  const changes = findChanges(t, [put([...members, 'part'], refersTo('Two'))], before);
  t.same(
    changes.filter(({ impact }) => impact === 'breaking').map(({ at }) => at),
    ['#/components/schemas/One/properties/color'],
  );
});

t.test('reports breaking when a component that is in use is renamed', async (t) => {
  const rename: Change = {
    at: '',
    apply: (document) => {
      put(schema('Person'), valueAt(document, schema('User'))).apply(document);
      delete (valueAt(document, ['components', 'schemas']) as Node).User;
      put(schema('UserDocument', 'properties', 'data'), refersTo('Person')).apply(document);
    },
  };
  const changes = findChanges(t, [rename]);
  t.ok(changes.some(({ impact, at }) => impact === 'breaking' && at === '#/components/schemas/User'));
});

t.test('does not mistake a property whose name starts with x- for an extension', async (t) => {
  const before = [put([...members, 'x-size'], { type: 'integer', maximum: 5 })];
  const changes = findChanges(t, [put([...members, 'x-size', 'maximum'], 4)], before);
  t.same(
    changes.map(({ impact, at }) => [impact, at]),
    [['additive', '#/components/schemas/EmployeeAttributes/properties/x-size/maximum']],
  );
});
