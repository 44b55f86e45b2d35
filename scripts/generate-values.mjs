// Writes constants and types from the contract: the attributes of an employee, the operations without a token, and the values
// of its open enumerations as closed types. Clients must expect other values, but this server sends only these.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { root } from './modified.mjs';

const names = ['ProblemCode', 'ProblemItemCode', 'ScopeName'];
const output = path.join(root, 'src', 'platform', 'contract', 'generated-values.ts');

const { paths, components } = parse(readFileSync(path.join(root, 'openapi', 'v1.yaml'), 'utf8'));
const { schemas } = components;
const types = names.map((name) =>
  typeOf(name, `Values of \`${name}\` in the contract.`, schemas[name]['x-extensible-enum']),
);
const publicOperations = Object.values(paths)
  .flatMap((item) => Object.values(item))
  .filter(({ security }) => security?.length === 0)
  .map(({ operationId }) => operationId);
types.push(typeOf('PublicOperation', 'Operations without a bearer token.', publicOperations));
// Custom attributes have no column of their own.
const ofContract = Object.entries(schemas.EmployeeAttributes.properties).filter(
  ([name]) => name !== 'custom',
);
const attributes = ofContract.map(
  ([name, schema]) =>
    `  { name: '${name}', type: '${columnType(name, schema)}', nullable: ${isNullable(schema)}, required: ${isRequired(schema)}, restrictable: ${isRestrictable(name)} },`,
);
const employeeAttributes = `/** Attributes of \`EmployeeAttributes\` in the contract, in the same order. \`type\` is the type of the column. */
export const employeeAttributes = [
${attributes.join('\n')}
] as const;
`;
const header = '// Generated from openapi/v1.yaml by scripts/generate-values.mjs. Do not edit.\n';
writeFileSync(output, [header, ...types, employeeAttributes].join('\n'));

function typeOf(name, description, values) {
  return `/** ${description} */\nexport type ${name} =\n${values.map((value) => `  | '${value}'`).join('\n')};\n`;
}

function isNullable({ type }) {
  return [type].flat().includes('null');
}

/** Whether no record is without the value. A text that may be empty has no minimum length. */
function isRequired({ type, format, minLength = 0 }) {
  return !isNullable({ type }) && (minLength > 0 || format !== undefined);
}

/** Whether an application may be without the attribute, so that clients cannot expect it. */
function isRestrictable(name) {
  return !schemas.EmployeeAttributes.required.includes(name);
}

/** PostgreSQL type of the column that stores an attribute. */
function columnType(name, { type, format }) {
  if (![type].flat().includes('string'))
    throw new Error(`openapi/v1.yaml: the attribute ${name} of an employee must be a string`);
  if (format === 'date-time') return 'timestamptz';
  return format === 'date' ? 'date' : 'text';
}
