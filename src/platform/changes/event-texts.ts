import { positionDigitsSql } from '../database/ids.js';

// SQL expressions for the members of an event of the table `events`, which the feed and the changes of an employee show.

/** SQL expression for a text as JSON. It is NULL for NULL. */
export const quoted = (text: string) => `to_json(${text})::text`;

/** The id of an event, which has no escapes. */
export const eventIdText = `'evt_' || events.account_id || '_' || ${positionDigitsSql('events.position')}`;

/**
 * The actor of an event as JSON, as the schema `EventActor` of the contract describes it.
 *
 * @param clientId expression for the client id of the application of the event
 */
export function actorText(clientId: string): string {
  return `'{"type":"' || CASE WHEN events.user_id IS NOT NULL THEN 'user'
      WHEN events.application_id IS NULL THEN 'operator' ELSE 'application' END
    || '","client_id":' || coalesce(${quoted(clientId)}, 'null')
    || ',"user_id":' || coalesce(${quoted('events.user_id')}, 'null') || '}'`;
}

/**
 * Common table expression for the applications of the account $1. Where account data is distributed they are on the coordinator, and
 * are not joined with events.
 */
export const clientsOfAccount = `
  clients AS MATERIALIZED (
    SELECT json_object_agg(id, coalesce(installed_client_id, client_id)) AS by_id FROM applications WHERE account_id = $1)`;

/** The client id of the application of an event, of {@link clientsOfAccount}. */
export const clientOfAccount = '(SELECT by_id FROM clients) ->> events.application_id';
