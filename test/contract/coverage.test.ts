import path from 'node:path';
import { packageRoot } from '../../src/package-root.js';
import t from '../support/tap.js';

const { demandsOf, shownBy } = await import(path.join(packageRoot, 'scripts/contract/demands.mjs'));
const { judge } = await import(path.join(packageRoot, 'scripts/contract/coverage.mjs'));

const document = {
  paths: {
    '/things': {
      get: {
        operationId: 'listThings',
        parameters: [{ $ref: '#/components/parameters/Size' }, { name: 'thing_id', in: 'path' }],
        responses: {
          200: { content: { 'application/json': {}, 'text/csv': {} } },
          204: {},
          400: { $ref: '#/components/responses/Bad' },
        },
      },
    },
  },
  components: {
    parameters: { Size: { name: 'page[size]', in: 'query' } },
    responses: { Bad: { content: { 'application/problem+json': {} } } },
    schemas: { ProblemCode: { 'x-problems': { invalid_request: {} } } },
  },
};

const everything = [
  { operation: 'listThings', status: 200, mediaType: 'application/json', sent: ['page[size]'], refused: [] },
  { operation: 'listThings', status: 200, mediaType: 'text/csv', sent: [], refused: [] },
  { operation: 'listThings', status: 204, mediaType: '', sent: [], refused: [] },
  {
    operation: 'listThings',
    status: 400,
    mediaType: 'application/problem+json',
    code: 'invalid_request',
    sent: ['page[size]'],
    refused: ['page[size]'],
  },
];

t.test('requires every response, every parameter accepted and rejected, and every code', async (t) => {
  t.same(demandsOf(document), [
    'listThings 200 application/json',
    'listThings 200 text/csv',
    'listThings 204',
    'listThings 400 application/problem+json',
    'listThings page[size] accepted',
    'listThings page[size] refused',
    'code invalid_request',
  ]);
});

t.test('reports nothing when everything was covered', async (t) => {
  t.same(judge(document, everything, []), { demands: 7, missing: [], stale: [] });
});

t.test('names what was not covered', async (t) => {
  for (const [index, left] of everything.entries()) {
    const rest = everything.filter((_, other) => other !== index);
    const only = shownBy(left).filter((shown: string) => !rest.flatMap(shownBy).includes(shown));
    t.same(judge(document, rest, []).missing.toSorted(), only.toSorted());
  }
});

t.test(
  'does not count a parameter of a rejected request as accepted, or as rejected unless it is named',
  async (t) => {
    const refusal = { ...everything[3], refused: [] };
    t.same(judge(document, [refusal], []).missing, [
      'listThings 200 application/json',
      'listThings 200 text/csv',
      'listThings 204',
      'listThings page[size] accepted',
      'listThings page[size] refused',
    ]);
  },
);

t.test(
  'an exception covers what it names, and is stale when it covers nothing or has no reason',
  async (t) => {
    const rest = everything.slice(0, 3);
    const excuses = [
      {
        what: ['listThings 400 application/problem+json', 'listThings page[size] refused'],
        reason: 'Cannot be provoked.',
      },
      { what: ['code invalid_request'] },
      { what: ['listThings 204', 'listThings'], reason: 'Seen after all, and half of a line.' },
    ];
    const { missing, stale } = judge(document, rest, excuses);
    t.same(missing, []);
    t.same(stale, ['code invalid_request', 'listThings 204', 'listThings']);
  },
);
