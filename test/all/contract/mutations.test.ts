import { findChanges } from '../../support/contract/contract-changes.js';
import {
  editMutations,
  type Mutation,
  type Row,
  readTable,
} from '../../support/contract/contract-mutations.js';
import { schemaMutations } from '../../support/contract/mutation-schemas.js';
import t, { type Test } from '../../support/tap.js';

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
    t.test(`classifies every mutation of ${part} as the tables state (group ${group})`, async (t) => {
      classifiesEach(
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

/** Checks that one comparison finds every mutation at its location, with its verdict, and no other change. */
function classifiesEach(t: Test, mutations: readonly Mutation[]) {
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
  t.same(wrong, [], `classifies ${mutations.length} mutations`);
  const locations = new Set(mutations.flatMap(({ expected }) => Object.keys(expected)));
  const others = changes.filter(({ at }) => !locations.has(at));
  t.same(
    others.map(({ impact, at, message }) => `${impact} ${at} ${message}`),
    [],
    'reports no change at other locations',
  );
}
