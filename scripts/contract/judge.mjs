/** What a client notices of a change, from nothing to something that it relied on. */
export const impacts = ['editorial', 'additive', 'breaking'];

// The contract promises more of these: clients are told to expect codes that they do not know.
const openEnums = new Set(['#/components/schemas/ProblemCode/enum']);

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
  'XCodeSample',
  'XCodeSampleList',
  'SpecExtension',
  'Logo',
]);
const editorialProperties = new Set(['description', 'summary', 'title', 'example']);

// Names that generated clients carry, addresses that they call, and directions that they leave members out for.
const fixedProperties = new Set([
  'key',
  'name',
  'tags',
  'tokenUrl',
  'authorizationUrl',
  'refreshUrl',
  'readOnly',
  'writeOnly',
]);

/**
 * What one of Redocly's changes means: its verdict, unless the contract has announced such changes, and beyond it
 * the rule that within a major version nothing is taken away and nothing changes its meaning.
 */
export function judge(change) {
  if (isEditorial(change)) return 'editorial';
  if (isAnnounced(change)) return 'additive';
  if (change.verdicts.length > 0 || takesAway(change)) return 'breaking';
  // A component by itself does nothing; what refers to it is a change of its own.
  return isUnder(change, 'components') && change.kind !== 'modified' ? 'editorial' : 'additive';
}

function isEditorial({ typeName, kind, property, verdicts }) {
  if (verdicts.length > 0) return false;
  if (editorialTypes.has(typeName)) return true;
  return kind === 'modified' && (editorialProperties.has(property) || property.startsWith('x-'));
}

function isAnnounced({ property, base, revision, verdicts }) {
  return (
    property === 'enum' &&
    openEnums.has(revision.pointer) &&
    verdicts.every(({ ruleId }) => ruleId === 'enum-values-added') &&
    lost(base.value, revision.value).length === 0
  );
}

function takesAway(change) {
  const { kind, typeName, property, base, revision } = change;
  if (kind === 'added') return typeName === 'RequestBody' && revision.value.required === true;
  if (kind === 'removed') {
    // One way in that goes is judged together with those that stay, by Redocly.
    if (typeName === 'SecurityRequirement') return false;
    return isUnder(change, 'paths') || isUnder(change, 'components/schemas') || isSecurity(change);
  }
  if (property === 'default') return base.value !== undefined;
  if (property === 'enum') return lost(base.value, revision.value).length > 0;
  return fixedProperties.has(property);
}

function isUnder({ path }, place) {
  return path.startsWith(`#/${place}/`);
}

function isSecurity(change) {
  return isUnder(change, 'components/securitySchemes');
}

function lost(before = [], after = before) {
  return before.filter((value) => !after.includes(value));
}
