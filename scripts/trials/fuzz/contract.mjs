import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { parse } from 'yaml';
import { packageRoot } from '../../bench/root.mjs';
import { buildTests } from '../../build-tests.mjs';

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * @typedef {object} FuzzedOperation
 * @property {string} id
 * @property {string} method
 * @property {string} path
 * @property {string[] | null} scopes `null` where no token is asked for
 * @property {{ in: string, name: string, required?: boolean, schema: object }[]} parameters
 * @property {{ mediaType: string, schema: object, accepts: (value: unknown) => boolean } | undefined} body
 */

/** Reads what is served from the contract, apart from the code that serves it. */
export function readOperations() {
  const document = parse(readFileSync(path.join(packageRoot, 'openapi', 'v1.yaml'), 'utf8'));
  const resolve = (node) => (node?.$ref === undefined ? node : resolve(at(document, node.$ref)));
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  ajvFormats.default(ajv);
  ajv.addSchema({ ...document, $id: 'contract' });
  const operations = [];
  for (const [template, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (!methods.includes(method)) continue;
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
      const [content] = Object.entries(resolve(operation.requestBody ?? {}).content ?? {});
      const security = operation.security ?? document.security;
      operations.push({
        id: operation.operationId,
        method: method.toUpperCase(),
        path: template,
        scopes: security.length === 0 ? null : Object.values(security[0])[0],
        parameters,
        body: content && {
          mediaType: content[0],
          schema: content[1].schema,
          accepts: ajv.compile({ $ref: `contract${content[1].schema.$ref}` }),
        },
      });
    }
  }
  return { operations, resolve };
}

/** What the tests compare every answer with. */
export async function loadConformance(errorsUrl) {
  await buildTests();
  const { createConformance } = await import(
    path.join(packageRoot, 'dist/test/support/contract/conformance.js')
  );
  return createConformance(errorsUrl);
}

function at(document, reference) {
  return reference
    .slice(2)
    .split('/')
    .reduce((node, key) => node[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}
