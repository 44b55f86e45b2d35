import {
  type AttributeType,
  type ContractAttribute,
  contractAttributes,
} from '../../platform/contract/employee-attributes.js';
import { timestampText } from '../../platform/database/hot/timestamp-text.js';

/** How the text of a column becomes JSON. */
interface TextFormat {
  readonly quote: '"' | '';
  readonly toText: (column: string) => string;
}

function resource(format: TextFormat): string {
  const members = contractAttributes.map((attribute) => `"${attribute.name}":${value(attribute, format)}`);
  return `
    '{"id":"' || employees.id || '","type":"employees","attributes":{${members.join(',')}}}'`;
}

/** The value of an attribute within a text constant of SQL. */
function value({ name, type, nullable }: ContractAttribute, format: TextFormat): string {
  const { quote, toText } = type === 'text' ? format : formats[type];
  const text = toText(`employees.${name}`);
  if (!nullable) return `${quote}' || ${text} || '${quote}`;
  const json = quote === '' ? text : `'${quote}' || ${text} || '${quote}'`;
  return `' || coalesce(${json}, 'null') || '`;
}

/** Types whose text has no escapes. */
const formats: Readonly<Record<Exclude<AttributeType, 'text'>, TextFormat>> = {
  date: { quote: '"', toText: (column) => `to_char(${column}, 'YYYY-MM-DD')` },
  timestamptz: { quote: '"', toText: timestampText },
};

/**
 * SQL expression for the resource object of an employee as JSON text, with the attributes of the contract. The database
 * writes it, because that costs the server a tenth of reading the columns and writing it itself. Records without escapes,
 * which are nearly all, take half the time: the benchmarks `list` and `sync` fail when all are escaped. An id has no escapes.
 */
export const employeeResource = `CASE WHEN employees.has_escapes
  THEN ${resource({ quote: '', toText: (column) => `to_json(${column})::text` })}
  ELSE ${resource({ quote: '"', toText: (column) => column })} END`;
