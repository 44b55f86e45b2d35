import { type ContractAttribute, contractAttributes } from '../../platform/contract/employee-attributes.js';
import { timestampText } from '../../platform/database/hot/timestamp-text.js';
import { positionDigitsSql } from '../../platform/database/ids.js';

/** SQL expression for a text as JSON. It is NULL for NULL. */
const quoted = (text: string) => `to_json(${text})::text`;

/** Attributes of an employee. One that was added after the event is `null`. The stored object is read once. */
const employeeAttributes = `(
  SELECT '{${contractAttributes.map(member).join(',')}}'
  FROM json_to_record(events.attributes) AS stored (
    ${contractAttributes.map(({ name, type }) => `${name} ${type === 'timestamptz' ? type : 'json'}`).join(', ')}))`;

/** A member within a text constant of SQL. */
function member({ name, type }: ContractAttribute): string {
  const column = `stored.${name}`;
  const value = type === 'timestamptz' ? quoted(timestampText(column)) : `${column}::text`;
  return `"${name}":' || coalesce(${value}, 'null') || '`;
}

/** The stored attributes of other events. PostgreSQL stores timestamps in another form of RFC 3339. */
const storedAttributes = `(
  SELECT '{' || coalesce(string_agg(${quoted('name')} || ':' || CASE
      WHEN right(name, 3) = '_at' AND json_typeof(value) = 'string'
      THEN ${quoted(timestampText("(value #>> '{}')::timestamptz"))} ELSE value::text END, ',' ORDER BY number), '') || '}'
  FROM json_each(events.attributes) WITH ORDINALITY AS member (name, value, number))`;

/**
 * SQL expression for an event of the table `events` as JSON text, as the schema `Event` of the contract describes it. The
 * database writes it, because that costs the server less than reading the columns and writing it itself.
 *
 * @param clientId expression for the client id of the application of the event
 */
export function eventDocument(clientId: string): string {
  return `
    '{"id":"evt_' || events.account_id || '_' || ${positionDigitsSql('events.position')}
    || '","type":"' || events.type || '","occurred_at":"' || ${timestampText('events.occurred_at')}
    || '","actor":{"type":"' || CASE WHEN events.user_id IS NOT NULL THEN 'user'
      WHEN events.application_id IS NULL THEN 'operator' ELSE 'application' END
    || '","client_id":' || coalesce(${quoted(clientId)}, 'null')
    || ',"user_id":' || coalesce(${quoted('events.user_id')}, 'null')
    || '},"resource":{"id":' || ${quoted('events.resource_id')}
    || ',"type":"' || split_part(events.type, '.', 1) || 's","attributes":' || CASE
      WHEN events.attributes IS NULL THEN 'null'
      WHEN events.type IN ('employee.created', 'employee.updated') THEN ${employeeAttributes}
      ELSE ${storedAttributes} END
    || '},"changed":' || to_json(events.changed)::text || '}'`;
}
