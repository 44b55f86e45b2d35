import { type JsonSchema, resolve } from '../../src/platform/contract/contract.js';
import { contract } from '../support/server/app.js';
import t from '../support/tap.js';

const { document } = contract;
const resolved = (schema: unknown) => resolve<JsonSchema>(document, schema);

t.test('info.description is short enough to be copied into every generated file', async (t) => {
  const { info, tags } = document as unknown as { info: { description: string }; tags: object[] };
  t.ok(Buffer.byteLength(info.description) < 1500);
  t.equal(tags.filter((tag) => 'x-traitTag' in tag).length, 7, 'the chapters are tags');
});

/** The subschemas of a schema, each with its location. */
function* members(place: string, schema: JsonSchema): Iterable<[place: string, schema: unknown]> {
  for (const [name, member] of Object.entries(schema.properties ?? {})) yield [`${place}.${name}`, member];
  if (schema.items !== undefined) yield [`${place}[]`, schema.items];
  for (const [index, branch] of ((schema.oneOf ?? schema.allOf ?? []) as unknown[]).entries()) {
    for (const [name, member] of Object.entries(resolved(branch).properties ?? {})) {
      yield [`${place}/${index}.${name}`, member];
    }
  }
}

t.test('every schema, every member and every kind of item has a description', async (t) => {
  const missing: string[] = [];
  const visit = (place: string, schema: unknown) => {
    const found = resolved(schema);
    if (typeof found.description !== 'string' || found.description.trim() === '') missing.push(place);
    for (const [inner, member] of members(place, found)) {
      // Components are visited separately.
      if (!('$ref' in (member as object))) visit(inner, member);
    }
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) visit(name, schema);
  t.same(missing, []);
});

t.test('no pattern has a double quote, which breaks generated Python clients', async (t) => {
  const patterns = JSON.stringify(document).match(/"pattern":"(?:[^"\\]|\\.)*"/g) ?? [];
  t.ok(patterns.length > 20);
  t.same(
    patterns.filter((pattern) => pattern.slice('"pattern":"'.length, -1).includes('\\"')),
    [],
  );
});

t.test('every object in a JSON request rejects unknown members', async (t) => {
  const open: string[] = [];
  const visit = (place: string, schema: unknown) => {
    const found = resolved(schema);
    if (found.type === 'object' && found.additionalProperties !== false) open.push(place);
    for (const branch of (found.oneOf ?? []) as unknown[]) visit(place, branch);
    for (const [inner, member] of members(place, found)) visit(inner, member);
  };
  for (const name of ['ReportCreateRequest', 'ReportUpdateRequest', 'UserUpdateRequest']) {
    visit(name, document.components.schemas[name]);
  }
  t.same(open, []);
});
