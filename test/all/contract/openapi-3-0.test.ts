import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { toOpenapi30 } from '../../../scripts/docs/contract-documents.js';
import type { ContractDocument } from '../../../src/platform/contract/contract.js';
import { packageRoot } from '../../../src/platform/package-root.js';
import { withoutTap } from '../../support/processes/plain-process.js';
import { buildTestApp, contract } from '../../support/server/app.js';
import t from '../../support/tap.js';

// The addresses of the document are those of the server.
const [{ url }] = contract.document.servers;
const api = await buildTestApp(t, { environment: { BASE_URL: url } });
const served = (await api.app.inject({ url: '/openapi/v1-3.0.json' })).json();

t.test('serves the contract in OpenAPI 3.0 to any origin, cacheable', async (t) => {
  const older = await api.app.inject({ url: '/openapi/v1-3.0.json' });
  const { headers } = await api.app.inject({ url: '/openapi/v1.json' });
  t.equal(older.statusCode, 200);
  t.equal(older.json().openapi, '3.0.3');
  for (const name of ['content-type', 'access-control-allow-origin', 'cache-control']) {
    t.ok(headers[name], name);
    t.equal(older.headers[name], headers[name], name);
  }
});

t.test('the 3.0 document is valid by the official schema of OpenAPI 3.0', async (t) => {
  const validator = new Validator();
  t.same(await validator.validate(structuredClone(served)), { valid: true });
  t.equal(validator.version, '3.0');
});

t.test('the 3.0 document passes the rules of a linter', async (t) => {
  const directory = t.testdir({});
  await writeFile(path.join(directory, 'v1-3.0.json'), JSON.stringify(served));
  const redocly = path.join(packageRoot, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
  const rules = ['--extends=recommended-strict', '--skip-rule=no-server-example.com'];
  const { status, stdout, stderr } = spawnSync(
    ...withoutTap(process.execPath, [redocly, 'lint', 'v1-3.0.json', ...rules]),
    {
      // Not the configuration of the project, which is for the contract itself.
      cwd: directory,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      encoding: 'utf8',
    },
  );
  t.equal(status, 0, `${stdout}${stderr}`);
});

t.test('the 3.0 document has every parameter and response of the contract', async (t) => {
  const { openapi, info, ...older } = served;
  const { openapi: _, info: newerInfo, ...newer } = withoutWebhooks() as typeof served;
  t.same(restoreTypes(older), newer);
  t.match(info, { ...newerInfo, license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' } });
  t.not(JSON.stringify(older), JSON.stringify(newer), 'the contract had an address to rewrite');
});

t.test('both documents have the same TypeScript types', async (t) => {
  const typesOf = async (document: object) => astToString(await openapiTypescript(JSON.stringify(document)));
  t.equal(await typesOf(served), await typesOf(withoutWebhooks()));
});

t.test('rejects schemas that OpenAPI 3.0 cannot express', async (t) => {
  const convert = (type: string[]) =>
    toOpenapi30({
      ...contract.document,
      components: { schemas: { X: { type } } },
    } as unknown as ContractDocument);
  t.throws(() => convert(['string', 'integer']), { message: /string or integer/ });
  t.throws(() => convert(['string', 'integer', 'null']), { message: /string or integer or null/ });
  t.throws(() => convert(['null']), { message: /null/ });
  t.match(convert(['integer', 'null']), {
    components: { schemas: { X: { type: 'integer', nullable: true } } },
  });
});

t.test('does not change the contract itself', async (t) => {
  const before = JSON.stringify(contract.document);
  toOpenapi30(contract.document);
  t.equal(JSON.stringify(contract.document), before);
});

/** The contract without webhooks, which OpenAPI 3.0 does not have, and without what is not published. */
function withoutWebhooks(): object {
  const published = JSON.stringify(contract.document, (key, value) =>
    key === 'x-server' ? undefined : value,
  );
  const { webhooks: _, ...rest } = JSON.parse(published) as { webhooks?: unknown };
  return rest;
}

/** Reverts the conversion to OpenAPI 3.0. */
function restoreTypes(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(restoreTypes);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...members } = node as Record<string, unknown>;
  const entries = Object.entries(members).map(([name, value]) => [name, restoreTypes(value)]);
  const restored = Object.fromEntries(entries);
  return nullable === true ? { ...restored, type: [members.type, 'null'] } : restored;
}
