/** The impacts of a change on clients, from the least to the most severe. */
export const impacts = ['editorial', 'additive', 'breaking'];

const editorialTypes = new Set([
  'Root',
  'Info',
  'Contact',
  'License',
  'Tag',
  'TagList',
  'TagGroup',
  'TagGroups',
  'ExternalDocs',
  'Example',
  'ExamplesMap',
  'NamedExamples',
]);
const editorialProperties = new Set(['description', 'summary', 'title', 'example']);

// Names and types that generated clients carry, addresses that they call, and directions that they leave members out
// for.
const fixedProperties = new Set([
  'format',
  'propertyName',
  'key',
  'name',
  'tags',
  'tokenUrl',
  'authorizationUrl',
  'refreshUrl',
  'readOnly',
  'writeOnly',
]);

// What a client did not have to expect: another success, or a redirect that it has to follow. Only a client that sends
// a condition gets a 304, and every client has to expect errors.
const addedResponse = /^#\/paths\/.*\/responses\/(2..|3(?!04)..)(\/content\/[^/]+)?$/;

/**
 * The impact of a change that Redocly reports: its verdict, and beyond it the rule that within a major version nothing
 * is taken away and nothing changes its meaning.
 */
export function judge(change) {
  if (isEditorial(change)) return 'editorial';
  if (change.verdicts.length > 0 || takesAway(change)) return 'breaking';
  return isUnusedComponent(change) ? 'editorial' : 'additive';
}

function isEditorial({ typeName, kind, property, base, revision, verdicts }) {
  if (verdicts.length > 0) return false;
  if (editorialTypes.has(typeName)) return true;
  if (kind !== 'modified') return false;
  return (
    editorialProperties.has(property) || (property !== 'tags' && isReordered(base.value, revision.value))
  );
}

function takesAway(change) {
  const { kind, typeName, property, base, revision } = change;
  if (kind === 'added') {
    if (typeName === 'RequestBody') return revision.value.required === true;
    return ['Response', 'MediaType'].includes(typeName) && addedResponse.test(change.path);
  }
  if (kind === 'removed') {
    // Redocly judges a removed alternative together with those that stay.
    if (typeName === 'SecurityRequirement') return false;
    return isUnder(change, 'paths') || isUnder(change, 'components/schemas') || isSecurity(change);
  }
  if (property === 'default') return base.value !== undefined;
  if (property === 'enum') return lost(base.value, revision.value).length > 0;
  if (typeName === 'Header' && property === 'required') return base.value === true;
  return fixedProperties.has(property);
}

/** A component by itself does nothing; what refers to it is a change of its own. */
function isUnusedComponent(change) {
  return isUnder(change, 'components') && change.kind !== 'modified' && !change.path.includes('/flows/');
}

function isUnder({ path }, place) {
  return path.startsWith(`#/${place}/`);
}

function isSecurity(change) {
  return isUnder(change, 'components/securitySchemes');
}

function isReordered(before, after) {
  if (!Array.isArray(before) || !Array.isArray(after)) return false;
  return before.length === after.length && lost(before, after).length + lost(after, before).length === 0;
}

function lost(before = [], after = before) {
  return before.filter((value) => !after.includes(value));
}
