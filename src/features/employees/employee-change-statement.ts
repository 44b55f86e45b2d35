import {
  actorText,
  clientOfAccount,
  clientsOfAccount,
  eventIdText,
} from '../../platform/changes/event-texts.js';
import {
  forEachShape,
  isRestricted,
  readableNames,
  statementName,
} from '../../platform/contract/attribute-access.js';
import type { PreparedStatement } from '../../platform/database/client.js';
import { timestampText } from '../../platform/database/define-lookup.js';
import { givenAttributes } from './employee-attributes.js';

/** What made a change: recorded with it, or known from its actor. Employees are changed by forms, commands and imports only. */
const sourceText = `coalesce(events.source, CASE WHEN events.user_id IS NULL THEN 'command_line' ELSE 'form' END)`;

/**
 * Query for the values of attributes by name, from a stored object by column. A custom attribute without a value has no row.
 *
 * @param stored expression for the object, or NULL
 */
function valuesByName(stored: string, readsCustom: boolean): string {
  const ofContract = `SELECT key AS name, value FROM json_each(${stored})`;
  if (!readsCustom) return ofContract;
  // Without a value of any custom attribute, the member is the JSON null.
  const custom = `CASE WHEN json_typeof(${stored} -> 'custom') = 'object' THEN ${stored} -> 'custom' END`;
  return `${ofContract} UNION ALL SELECT 'custom.' || key, value FROM json_each(${custom})`;
}

/**
 * The values that a change set or changed, as JSON separated by commas: those of readable attributes, in their order. Each stored object
 * is read once.
 *
 * @param readable expression for the names of the attributes that the reader may read, in order
 */
function changedValues(readable: string, readsCustom: boolean): string {
  return `(
    SELECT coalesce(string_agg('{"attribute":"' || readable.name
        || '","from":' || coalesce(earlier.value::text, 'null')
        || ',"to":' || coalesce(later.value::text, 'null') || '}', ',' ORDER BY readable.place), '')
    FROM unnest(${readable}) WITH ORDINALITY AS readable (name, place)
    LEFT JOIN (${valuesByName('events.previous', readsCustom)}) AS earlier ON earlier.name = readable.name
    LEFT JOIN (${valuesByName('events.attributes', readsCustom)}) AS later ON later.name = readable.name
    WHERE CASE WHEN events.type = 'employee.created' THEN json_typeof(later.value) <> 'null'
      ELSE readable.name = ANY (events.changed) END)`;
}

/**
 * The changes of an employee, newest first, as JSON with their positions. One row without a position: the employee has none. No row: the
 * account has no such employee. Parameters: the account, the position and the id of the employee, the position of the event after the
 * first change, the time from which changes are shown, and the maximum number; then for a reader of custom attributes their keys as
 * `AttributeAccess.keys` has them.
 *
 * Changes of only attributes that the reader may not read are skipped, however many they are: where the reading stopped would show them.
 * The index has the events of one employee, so these are read at most. Skipping one compares its names and does not read its values.
 */
export const changesOfEmployee = forEachShape((shape): PreparedStatement => {
  const { readsCustom } = shape;
  const names = givenAttributes.map(({ name }) => name).filter((name) => !isRestricted(name, shape));
  const ofContract = `'{${names}}'::text[]`;
  const readable = readsCustom ? '(SELECT names FROM readable)::text[]' : ofContract;
  const withReadable = `,
    readable AS MATERIALIZED (
      SELECT ${ofContract} || custom.names AS names FROM (${readableNames('$1', '$7')}) AS custom)`;
  const text = `
    WITH ${clientsOfAccount}${readsCustom ? withReadable : ''}
    SELECT change.position::text AS position, change.document
    FROM employees
    LEFT JOIN LATERAL (
      SELECT events.position,
        '{"id":"' || ${eventIdText} || '","type":"employee_changes","attributes":{"occurred_at":"'
        || ${timestampText('events.occurred_at')} || '","kind":"' || split_part(events.type, '.', 2)
        || '","source":"' || ${sourceText} || '","actor":' || ${actorText(clientOfAccount)}
        || ',"changes":[' || ${changedValues(readable, readsCustom)} || ']}}' AS document
      FROM events
      WHERE events.account_id = $1 AND events.resource_id = $3 AND events.position < $4::bigint
        AND events.occurred_at >= $5::timestamptz
        AND (events.type = 'employee.created'
          OR events.type = 'employee.updated' AND events.previous IS NOT NULL AND events.changed && ${readable})
      ORDER BY events.position DESC LIMIT $6::bigint
    ) AS change ON true
    WHERE employees.account_id = $1 AND employees.position = $2::bigint AND employees.id = $3
    ORDER BY change.position DESC`;
  return { name: statementName('changes_of_employee', shape), text };
});
