/** Folders of `src`, lowest first. A file imports from its own folder and from those below it. Type-only imports count. */
const layers = [
  ['platform', 'What every feature stands on knows no feature, and not the authorization server.'],
  ['oauth', 'The authorization server works without the features.'],
  ['features', 'A feature does not know how the process is started.'],
  ['process', 'Start, background work and shutdown are shared by the entry points, and import none of them.'],
  ['cli', 'The command line is an entry point of its own, and does not import the server.'],
];

const names = layers.map(([name]) => name);

const layerRules = layers.map(([name, comment], index) => ({
  name: `${name}-imports-down-only`,
  severity: 'error',
  comment,
  from: { path: `^src/${name}/` },
  to: {
    path: ['^src/[^/]+$', ...names.slice(index + 1).map((higher) => `^src/${higher}/`)],
  },
}));

/** Folders of `src/platform`, lowest first, with the same rule. */
const platform = [
  ['config', 'Settings are read from the environment, and depend on nothing that they configure.'],
  ['contract', 'The contract is loaded, typed and validated without knowledge of who serves it.'],
  ['problems', 'A problem is a row of the error catalogue of the contract, and has no other source.'],
  ['database', 'The database runs statements; it has no knowledge of what they are for.'],
];

const platformNames = platform.map(([name]) => name);

const platformRules = platform.map(([name, comment], index) => ({
  name: `${name}-below-the-rest-of-platform`,
  severity: 'error',
  comment,
  from: { path: `^src/platform/${name}/` },
  to: {
    path: '^src/platform/[^/]+/',
    pathNot: platformNames.slice(0, index + 1).map((lower) => `^src/platform/${lower}/`),
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
    ...platformRules,
    {
      name: 'features-import-the-index-of-others',
      severity: 'error',
      comment: 'index.ts of a feature names all that other features depend on.',
      from: { path: '^src/features/([^/]+)/' },
      to: {
        path: '^src/features/([^/]+)/',
        pathNot: ['^src/features/$1/', '^src/features/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'no-cycles-between-features',
      severity: 'error',
      comment: 'A feature can be read without those that are built on it.',
      scope: 'folder',
      from: { path: '^src/features/[^/]+$' },
      to: { circular: true },
    },
    {
      name: 'composition-below-entry-point',
      severity: 'error',
      comment: 'Tests compose an application without a process: these files start none.',
      from: { path: '^src/[^/]+$', pathNot: '^src/server\\.ts$' },
      to: { path: ['^src/server\\.ts$', '^src/cli/', '^src/process/'] },
    },
    {
      name: 'known-folders-only',
      severity: 'error',
      comment: 'Every folder must be in the list of layers.',
      from: { path: '^src/' },
      to: {
        path: '^src/[^/]+/',
        pathNot: names.map((name) => `^src/${name}/`),
      },
    },
    {
      name: 'database-interfaces-without-engines',
      severity: 'error',
      comment: 'Code that both engines share depends on neither; open-database.ts selects one.',
      from: {
        path: '^src/platform/database/[^/]+$',
        pathNot: '^src/platform/database/open-database\\.ts$',
      },
      to: { path: '^src/platform/database/(embedded|postgresql)/' },
    },
    {
      name: 'no-database-in-pages-and-handlers',
      severity: 'error',
      comment: 'Handlers and pages call services, which scope their queries by account.',
      from: {
        path: ['/pages/', '-handlers\\.ts$', '^src/platform/http/', '^src/oauth/consent/'],
      },
      to: { path: '^src/platform/database/(client[.]|generated/)' },
    },
    {
      name: 'one-file-hashes-passwords',
      severity: 'error',
      comment: 'All hashes of a process share one limit, because they share its thread pool.',
      from: {
        path: '^src/',
        pathNot: '^src/platform/accounts/passwords\\.ts$',
      },
      to: { path: '@node-rs/argon2' },
    },
    {
      name: 'engines-are-separate',
      severity: 'error',
      comment: 'Each engine can be changed and removed without the other.',
      from: { path: '^src/platform/database/(embedded|postgresql)/' },
      to: {
        path: '^src/platform/database/(embedded|postgresql)/',
        pathNot: '^src/platform/database/$1/',
      },
    },
    {
      name: 'engines-behind-the-interface',
      severity: 'error',
      comment: 'Callers work on either engine, through the interface in platform/database/client.ts.',
      from: { path: '^src/', pathNot: '^src/platform/database/' },
      to: { path: '^src/platform/database/(embedded|postgresql)/' },
    },
    {
      name: 'no-web-framework-in-services',
      severity: 'error',
      comment: 'Services are the same for the API, the pages and the command line.',
      from: {
        path: '^src/(features|oauth)/',
        pathNot: [
          '/pages/',
          '-handlers\\.ts$',
          '^src/features/(documentation|mcp)/',
          '^src/features/sign-in/known-browsers\\.ts$',
          '^src/oauth/(consent/|logout/logout-pages\\.tsx$|authentication\\.ts$|request-limits\\.ts$)',
        ],
      },
      to: { path: 'node_modules/(@fastify/|fastify)' },
    },
    {
      name: 'no-web-framework-below-http',
      severity: 'error',
      comment: 'Requests and responses of Fastify are a concern of handlers and pages.',
      from: {
        path: '^src/platform/(accounts|audit|changes|config|contract|crypto|database|idempotency|limits|mail|network|problems)/',
      },
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
      name: 'documents-import-platform-and-documentation',
      severity: 'error',
      comment: 'Documents are built from the contract, and do not depend on what the server does.',
      from: { path: '^scripts/docs/' },
      to: { path: '^src/', pathNot: ['^src/platform/', '^src/features/documentation/'] },
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
    exclude: { path: '^src/platform/database/generated/' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
