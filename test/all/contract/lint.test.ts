import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { packageRoot } from '../../../src/platform/package-root.js';
import { withoutTap } from '../../support/processes/plain-process.js';
import t, { type Test } from '../../support/tap.js';

const read = (file: string) => readFileSync(path.join(packageRoot, file), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
const rules = path.join('scripts', 'contract', 'rules');

const installed = spawnSync(...withoutTap('npm', ['run', '--silent', 'prelint:contract']), {
  cwd: packageRoot,
  encoding: 'utf8',
});
if (installed.status !== 0) throw new Error(installed.stderr);

interface Contract {
  readonly paths: Record<string, Record<string, Record<string, unknown>>>;
  readonly components: { readonly schemas: Record<string, Record<string, unknown>> };
}

interface Workflows {
  readonly workflows: { readonly steps: Record<string, unknown>[] }[];
}

/** Runs `npm run lint:contract` in a directory with the unchanged rules and changed descriptions. */
function lint(
  t: Test,
  { contract = () => {}, workflows = () => {} }: Partial<Plant> = {},
): { status: number | null; output: string } {
  const cwd = t.testdir({
    'redocly.yaml': read('redocly.yaml'),
    '.redocly.lint-ignore.yaml': read('.redocly.lint-ignore.yaml'),
    openapi: {
      'v1.yaml': changed('openapi/v1.yaml', contract),
      'v1.arazzo.yaml': changed('openapi/v1.arazzo.yaml', workflows),
    },
    [rules]: {
      ...Object.fromEntries(
        ['package.json', 'spectral.yaml', 'ibm.yaml'].map((file) => [file, read(path.join(rules, file))]),
      ),
      node_modules: t.fixture('symlink', path.join(packageRoot, rules, 'node_modules')),
    },
  });
  const { status, stdout, stderr } = spawnSync(...withoutTap('sh', ['-c', scripts['lint:contract'] ?? '']), {
    cwd,
    encoding: 'utf8',
    env: {
      PATH: `${path.join(packageRoot, 'node_modules', '.bin')}${path.delimiter}${process.env.PATH}`,
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      REDOCLY_TELEMETRY: 'off',
    },
  });
  return { status, output: `${stdout}${stderr}` };
}

interface Plant {
  contract(document: Contract): void;
  workflows(document: Workflows): void;
}

function changed<Document>(file: string, change: (document: Document) => void): string {
  const document = parse(read(file)) as Document;
  change(document);
  return stringify(document, { aliasDuplicateObjects: false });
}

t.test('reports nothing in the contract and its workflows', async (t) => {
  const { status, output } = lint(t);
  t.equal(status, 0, output);
});

const address = {
  name: 'picture_url',
  in: 'query',
  description: 'URL of the picture.',
  schema: { type: 'string', format: 'uri', maxLength: 255 },
  example: 'https://pictures.example/1',
};

t.test('rejects errors that Redocly reports, in the contract and in the workflows', async (t) => {
  const { status, output } = lint(t, {
    contract: ({ paths, components }) => {
      delete paths['/v1/reports']?.get?.description;
      delete components.schemas.ReportTitle?.maxLength;
    },
    workflows: ({ workflows }) => delete workflows[0]?.steps[0]?.successCriteria,
  });
  t.not(status, 0);
  for (const rule of ['operation-description', 'rule/string-bounds', 'rule/step-expectations']) {
    t.ok(output.includes(rule), rule);
  }
});

t.test('rejects errors that only Spectral reports', async (t) => {
  const { status, output } = lint(t, {
    contract: ({ paths, components }) => {
      Object.assign(paths['/v1/reports']?.post ?? {}, { security: [] });
      delete property(components, 'ListMeta', 'record_count').format;
    },
  });
  t.not(status, 0);
  for (const rule of ['owasp:api2:2023-write-restricted', 'owasp:api4:2023-integer-format']) {
    t.ok(output.includes(rule), rule);
  }
});

t.test('rejects hints that Spectral reports', async (t) => {
  const { status, output } = lint(t, {
    contract: ({ paths }) => Object.assign(paths['/v1/report_columns']?.get ?? {}, { parameters: [address] }),
  });
  t.not(status, 0);
  t.match(output, 'information');
  t.match(output, 'owasp:api7:2023-concerning-url-parameter');
});

t.test('rejects errors that only the IBM ruleset reports', async (t) => {
  const { status, output } = lint(t, {
    contract: ({ components }) =>
      Object.assign(components.schemas.EmployeeList ?? {}, { required: ['meta', 'links'] }),
  });
  t.not(status, 0);
  t.match(output, 'ibm-required-array-properties-in-response');
});

function property(
  { schemas }: Contract['components'],
  schema: string,
  name: string,
): Record<string, unknown> {
  const properties = schemas[schema]?.properties as Record<string, Record<string, unknown>>;
  return properties[name] as Record<string, unknown>;
}
