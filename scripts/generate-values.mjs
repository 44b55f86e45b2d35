// Writes constants from the contract: the attributes of an employee, and the values of its open enumerations as closed
// types. Clients must expect other values, but this server sends only these.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { root } from './modified.mjs';

const names = ['ProblemCode', 'ScopeName'];
const output = path.join(root, 'src', 'platform', 'contract', 'generated-values.ts');

const { schemas } = parse(readFileSync(path.join(root, 'openapi', 'v1.yaml'), 'utf8')).components;
const types = names.map((name) => {
  const values = schemas[name]['x-extensible-enum'].map((value) => `  | '${value}'`);
  return `/** Values of \`${name}\` in the contract. */\nexport type ${name} =\n${values.join('\n')};\n`;
});
const attributes = Object.entries(schemas.EmployeeAttributes.properties).map(
  ([name, schema]) =>
    `  { name: '${name}', type: '${columnType(name, schema)}', nullable: ${isNullable(schema)} },`,
);
const employeeAttributes = `/** Attributes of \`EmployeeAttributes\` in the contract, in the same order. \`type\` is the type of the column. */
export const employeeAttributes = [
${attributes.join('\n')}
] as const;
`;
const header = '// Generated from openapi/v1.yaml by scripts/generate-values.mjs. Do not edit.\n';
writeFileSync(output, [header, ...types, employeeAttributes].join('\n'));

function isNullable({ type }) {
  return [type].flat().includes('null');
}

/** PostgreSQL type of the column that stores an attribute. */
function columnType(name, { type, format }) {
  if (![type].flat().includes('string'))
    throw new Error(`openapi/v1.yaml: the attribute ${name} of an employee must be a string`);
  if (format === 'date-time') return 'timestamptz';
  return format === 'date' ? 'date' : 'text';
}
