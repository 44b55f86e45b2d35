import { findChanges } from '../support/contract/contract-changes.js';
import { editMutations, type Mutation, type Row, readTable } from '../support/contract/contract-mutations.js';
import { schemaMutations } from '../support/contract/mutation-schemas.js';
import t, { type Test } from '../support/tap.js';

const strictness = ['editorial', 'additive', 'breaking'];

const edits = ['operations', 'bodies', 'parameters', 'errors', 'document'].map(
  (table) => [table, editMutations(table)] as const,
);
const editsOf = (...tables: readonly string[]) =>
  edits.filter(([table]) => tables.includes(table)).flatMap(([, mutations]) => mutations);

// Mutations that are applied together.
const parts: Record<string, readonly Mutation[]> = {
  schemas: schemaMutations('constraints', 'values', 'extensions', 'members'),
  operations: editsOf('operations', 'bodies'),
  'the other parts': editsOf('parameters', 'errors', 'document'),
};

for (const [part, mutations] of Object.entries(parts)) {
  for (const group of new Set(mutations.map((mutation) => mutation.group))) {
    t.test(`classifies every mutation of ${part} as the tables do (group ${group})`, async (t) => {
      judgesEach(
        t,
        mutations.filter((mutation) => mutation.group === group),
      );
    });
  }
}

for (const [table, mutations] of edits) {
  t.test(`applies every kind of ${table}.yaml to the contract`, async (t) => {
    const applied = new Set(mutations.map(({ kind }) => kind));
    const kinds = readTable<Row>(table).map(({ kind }) => kind);
    t.same(
      kinds.filter((kind) => !applied.has(kind)),
      [],
    );
  });
}

/** One comparison has to find every mutation at its place, with its verdict, and nothing else. */
function judgesEach(t: Test, mutations: readonly Mutation[]) {
  const changes = findChanges(
    t,
    mutations.map(({ change }) => change),
    mutations.flatMap(({ before }) => before),
  );
  const found = new Map<string, string>();
  for (const { at, impact } of changes) {
    const verdicts = [impact, found.get(at)];
    found.set(at, strictness.findLast((verdict) => verdicts.includes(verdict)) as string);
  }
  const wrong = mutations.flatMap(({ title, expected }) =>
    Object.entries(expected)
      .filter(([at, verdict]) => verdict !== (found.get(at) ?? 'none'))
      .map(([at, verdict]) => `${title}: ${found.get(at) ?? 'none'} instead of ${verdict} at ${at}`),
  );
  t.same(wrong, [], `judges ${mutations.length} mutations`);
  const places = new Set(mutations.flatMap(({ expected }) => Object.keys(expected)));
  const others = changes.filter(({ at }) => !places.has(at));
  t.same(
    others.map(({ impact, at, message }) => `${impact} ${at} ${message}`),
    [],
    'reports nothing at other places',
  );
}
