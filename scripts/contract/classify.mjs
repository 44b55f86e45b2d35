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

// Generated clients contain these names, types and URLs, and omit members by these directions.
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

// Clients do not expect another success status, or a redirect. Only a client that sends a condition receives a 304, and
// every client must handle unknown errors.
const addedResponse = /^#\/paths\/.*\/responses\/(2..|3(?!04)..)(\/content\/[^/]+)?$/;

/**
 * The impact of a change that Redocly reports. Beyond Redocly's verdicts, a change is breaking if it removes a part of the
 * contract, changes its meaning or requires more of clients.
 */
export function classify(change) {
  if (isEditorial(change)) return 'editorial';
  if (change.verdicts.length > 0 || isBreaking(change)) return 'breaking';
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

function isBreaking(change) {
  const { kind, typeName, property, base, revision } = change;
  if (kind === 'added') {
    if (typeName === 'RequestBody') return revision.value.required === true;
    return ['Response', 'MediaType'].includes(typeName) && addedResponse.test(change.path);
  }
  if (kind === 'removed') {
    // Redocly classifies a removed alternative together with the remaining ones.
    if (typeName === 'SecurityRequirement') return false;
    return isUnder(change, 'paths') || isUnder(change, 'components/schemas') || isSecurity(change);
  }
  if (property === 'default') return base.value !== undefined;
  if (property === 'enum') return lost(base.value, revision.value).length > 0;
  if (typeName === 'Header' && property === 'required') return base.value === true;
  return fixedProperties.has(property);
}

/** An unused component has no effect. Each new reference to a component is a change itself. */
function isUnusedComponent(change) {
  return isUnder(change, 'components') && change.kind !== 'modified' && !change.path.includes('/flows/');
}

function isUnder({ path }, location) {
  return path.startsWith(`#/${location}/`);
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
