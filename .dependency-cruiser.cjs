/**
 * The layers of `src`, lowest first. A file imports from its own layer and from those below it. Type-only imports count.
 */
const layers = [
  ['config', 'Settings are read from the environment, and depend on nothing that they configure.'],
  ['contract', 'The contract is loaded, typed and validated without knowledge of who serves it.'],
  ['problems', 'A problem is a row of the error catalogue of the contract, and has no other source.'],
  ['database', 'The database runs statements; it has no knowledge of what they are for.'],
  [
    'services',
    'Services hold the rules of the product, and are the same for the API, the pages and the command line.',
  ],
  ['oauth', 'The authorization server uses services and returns values; HTTP is the concern of `http`.'],
  ['demo-data', 'Demo data is created by services, as the data of any client is.'],
  ['observability', 'Logs, metrics and traces receive facts about requests, and do not handle them.'],
  ['http', 'What holds for every request, and the handlers of operations, do not depend on HTML.'],
  ['pages', 'Pages are handlers that respond with HTML; a process is not needed to render one.'],
  ['process', 'Start, background work and shutdown are shared by the entry points, and import none of them.'],
  ['cli', 'The command line is an entry point of its own, and does not import the server.'],
];

const names = layers.map(([name]) => name);

/** Files at the root of `src` that have no dependencies in the project; every layer may import them. */
const leaves = '^src/(base-url|clock|package-root)\\.ts$';

const layerRules = layers.map(([name, comment], index) => ({
  name: `${name}-imports-down-only`,
  severity: 'error',
  comment,
  from: { path: `^src/${name}/` },
  to: {
    path: ['^src/[^/]+$', ...names.slice(index + 1).map((higher) => `^src/${higher}/`)],
    pathNot: leaves,
  },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Files in a cycle cannot be read, tested or moved separately.',
      from: {},
      to: { circular: true },
    },
    ...layerRules,
    {
      name: 'leaves-import-no-layer',
      severity: 'error',
      comment: 'Every layer may import these files, so their imports of a layer would create a cycle.',
      from: { path: leaves },
      to: { path: '^src/', pathNot: leaves },
    },
    {
      name: 'composition-below-entry-point',
      severity: 'error',
      comment: 'Tests compose an application without a process: these files start none.',
      from: { path: '^src/(app|composition)\\.ts$' },
      to: { path: ['^src/server\\.ts$', '^src/cli/', '^src/process/'] },
    },
    {
      name: 'known-folders-only',
      severity: 'error',
      comment: 'Every folder must be in the list of layers.',
      from: { path: '^src/' },
      to: { path: '^src/[^/]+/', pathNot: names.map((name) => `^src/${name}/`) },
    },
    {
      name: 'database-interfaces-without-engines',
      severity: 'error',
      comment: 'Code that both engines share depends on neither; open-database.ts selects one.',
      from: { path: '^src/database/[^/]+$', pathNot: '^src/database/open-database\\.ts$' },
      to: { path: '^src/database/(embedded|postgresql)/' },
    },
    {
      name: 'only-services-hold-the-database',
      severity: 'error',
      comment: 'Handlers, pages and OAuth endpoints call services, which scope their queries by account.',
      from: { path: '^src/(oauth|http|pages)/' },
      to: { path: '^src/database/(client[.]|generated/)' },
    },
    {
      name: 'one-file-hashes-passwords',
      severity: 'error',
      comment: 'All hashes of a process share one limit, because they share its thread pool.',
      from: { path: '^src/', pathNot: '^src/services/passwords\\.ts$' },
      to: { path: '@node-rs/argon2' },
    },
    {
      name: 'engines-are-separate',
      severity: 'error',
      comment: 'Each engine can be changed and removed without the other.',
      from: { path: '^src/database/(embedded|postgresql)/' },
      to: { path: '^src/database/(embedded|postgresql)/', pathNot: '^src/database/$1/' },
    },
    {
      name: 'engines-behind-the-interface',
      severity: 'error',
      comment: 'Callers work on either engine, through the interface in database/client.ts.',
      from: { path: '^src/', pathNot: '^src/database/' },
      to: { path: '^src/database/(embedded|postgresql)/' },
    },
    {
      name: 'no-web-framework-below-observability',
      severity: 'error',
      comment: 'Requests and responses of Fastify are a concern of the layers that handle them.',
      from: { path: '^src/(contract|problems|database|services|oauth|demo-data)/' },
      to: { path: 'node_modules/(@fastify/|fastify)' },
    },
    {
      name: 'no-development-files',
      severity: 'error',
      comment: 'The production image has neither tests nor scripts.',
      from: { path: '^src/' },
      to: { path: '^(test|scripts)/' },
    },
    {
      name: 'no-unresolvable-imports',
      severity: 'error',
      comment: 'No rule checks an import that cannot be resolved.',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    // The Prisma client is generated and imports itself in cycles.
    exclude: { path: '^src/database/generated/' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
