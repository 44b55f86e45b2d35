import type { components } from '../../platform/contract/generated.js';

type EventType = components['schemas']['EventTypeInput'];

/** All types of events of employees, so that a new one is not forgotten. */
const employeeEvents: Readonly<Record<Extract<EventType, `employee.${string}`>, true>> = {
  'employee.created': true,
  'employee.updated': true,
  'employee.deleted': true,
};

const employeeTypes: readonly string[] = Object.keys(employeeEvents);

/** Types of events; `null`: all. */
export type EventTypes = readonly string[] | null;

/**
 * The types of the events that an application gets. Events of reports need the scope `reports:read`.
 *
 * @param requested the types that it asks for; empty: all
 */
export function readableTypes(requested: readonly string[], readsReports: boolean): EventTypes {
  if (readsReports) return requested.length === 0 ? null : requested;
  if (requested.length === 0) return employeeTypes;
  return requested.filter((type) => employeeTypes.includes(type));
}
