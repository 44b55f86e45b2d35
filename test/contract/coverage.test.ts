import path from 'node:path';
import { packageRoot } from '../../src/platform/package-root.js';
import t from '../support/tap.js';

const { requirementsOf, coveredBy } = await import(
  path.join(packageRoot, 'scripts/contract/requirements.mjs')
);
const { coverageOf } = await import(path.join(packageRoot, 'scripts/contract/coverage.mjs'));

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
  { operation: 'listThings', status: 200, mediaType: 'application/json', sent: ['page[size]'], rejected: [] },
  { operation: 'listThings', status: 200, mediaType: 'text/csv', sent: [], rejected: [] },
  { operation: 'listThings', status: 204, mediaType: '', sent: [], rejected: [] },
  {
    operation: 'listThings',
    status: 400,
    mediaType: 'application/problem+json',
    code: 'invalid_request',
    sent: ['page[size]'],
    rejected: ['page[size]'],
  },
];

t.test('requires every response, every parameter accepted and rejected, and every code', async (t) => {
  t.same(requirementsOf(document), [
    'listThings 200 application/json',
    'listThings 200 text/csv',
    'listThings 204',
    'listThings 400 application/problem+json',
    'listThings page[size] accepted',
    'listThings page[size] rejected',
    'code invalid_request',
  ]);
});

t.test('reports nothing when the tests cover the whole contract', async (t) => {
  t.same(coverageOf(document, everything, []), { required: 7, missing: [], stale: [] });
});

t.test('names each part of the contract that is not covered', async (t) => {
  for (const [index, left] of everything.entries()) {
    const rest = everything.filter((_, other) => other !== index);
    const only = coveredBy(left).filter((line: string) => !rest.flatMap(coveredBy).includes(line));
    t.same(coverageOf(document, rest, []).missing.toSorted(), only.toSorted());
  }
});

t.test(
  'does not count a parameter of a rejected request as accepted, or as rejected unless it is named',
  async (t) => {
    const rejection = { ...everything[3], rejected: [] };
    t.same(coverageOf(document, [rejection], []).missing, [
      'listThings 200 application/json',
      'listThings 200 text/csv',
      'listThings 204',
      'listThings page[size] accepted',
      'listThings page[size] rejected',
    ]);
  },
);

t.test(
  'an exception covers the parts that it names, and is stale when it covers nothing or has no reason',
  async (t) => {
    const rest = everything.slice(0, 3);
    const exceptions = [
      {
        lines: ['listThings 400 application/problem+json', 'listThings page[size] rejected'],
        reason: 'Cannot be triggered.',
      },
      { lines: ['code invalid_request'] },
      { lines: ['listThings 204', 'listThings'], reason: 'Covered, and part of a line.' },
    ];
    const { missing, stale } = coverageOf(document, rest, exceptions);
    t.same(missing, []);
    t.same(stale, ['code invalid_request', 'listThings 204', 'listThings']);
  },
);
