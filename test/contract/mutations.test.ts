import t from 'tap';
import { findChanges } from '../support/contract-changes.js';
import { editMutations, type Mutation } from '../support/contract-mutations.js';
import { schemaMutations } from '../support/mutation-schemas.js';

const strictness = ['editorial', 'additive', 'breaking'];

// Mutations that are applied together.
const tables: Record<string, readonly Mutation[]> = {
  schemas: schemaMutations('constraints', 'values', 'members'),
  operations: ['operations', 'bodies'].flatMap(editMutations),
  'the other parts': ['parameters', 'errors', 'document'].flatMap(editMutations),
};

for (const [table, mutations] of Object.entries(tables)) {
  for (const group of new Set(mutations.map((mutation) => mutation.group))) {
    t.test(`judges mutations of ${table} as the tables say (group ${group})`, async (t) => {
      judgesEach(
        t,
        mutations.filter((mutation) => mutation.group === group),
      );
    });
  }
}

t.test('judges more than a thousand mutations', async (t) => {
  t.ok(Object.values(tables).flat().length > 1000, String(Object.values(tables).flat().length));
});

/** One comparison has to find every mutation at its place, with its verdict, and nothing else. */
function judgesEach(t: Parameters<typeof findChanges>[0], mutations: readonly Mutation[]) {
  const changes = findChanges(
    t,
    mutations.map(({ change }) => change),
    mutations.flatMap(({ before }) => before),
  );
  const found = new Map<string, string>();
  for (const { at, impact } of changes) {
    const others = [impact, found.get(at)];
    found.set(at, strictness.findLast((verdict) => others.includes(verdict)) as string);
  }
  const expected = mutations.map((mutation) => mutation.expected);
  for (const { title, expected } of mutations) {
    const verdicts = Object.keys(expected).map((at) => [at, found.get(at) ?? 'none']);
    t.same(Object.fromEntries(verdicts), expected, title);
  }
  const places = new Set(expected.flatMap((places) => Object.keys(places)));
  t.same(
    changes
      .filter(({ at }) => !places.has(at))
      .map(({ impact, at, message }) => `${impact} ${at} ${message}`),
    [],
    'reports nothing at other places',
  );
}
