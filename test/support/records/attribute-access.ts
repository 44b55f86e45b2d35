import type { LightMyRequestResponse } from 'fastify';
import {
  type RestrictableAttribute,
  restrictableAttributes,
} from '../../../src/platform/contract/employee-attributes.js';
import { testServer } from '../database/database.js';
import type { TestApp } from '../server/app.js';
import type { Change } from './employee-changes.js';
import type { TestApplication } from './tenant.js';

/** Attributes that an application may not read, in the order of the contract. */
export type Restricted = readonly RestrictableAttribute[];

const everySet: readonly Restricted[] = Array.from(
  { length: 2 ** restrictableAttributes.length },
  (_, bits) => restrictableAttributes.filter((_, index) => (bits & (1 << index)) !== 0),
);

/** For any two attributes there are sets with both, with neither, and with each alone: three that follow each other in a circle. */
const pairwiseSets: readonly Restricted[] = [
  [],
  ...restrictableAttributes.map((_, start) =>
    restrictableAttributes.filter(
      (_, index) => (index - start + restrictableAttributes.length) % restrictableAttributes.length < 3,
    ),
  ),
  restrictableAttributes,
];

/**
 * Sets of attributes that an application can be without: every one on a server, and fewer on the embedded database, which takes
 * longer. The first one is empty, the last one has all.
 */
export const restrictedSets = testServer === undefined ? pairwiseSets : everySet;

/** Lets an application read all attributes except these, from its next request on. */
export async function restrict(
  { database: { prisma } }: Pick<TestApp, 'database'>,
  { id }: Pick<TestApplication, 'id'>,
  restricted: Restricted,
): Promise<void> {
  const readableAttributes = restrictableAttributes.filter((name) => !restricted.includes(name));
  const { count } = await prisma.application.updateMany({ where: { id }, data: { readableAttributes } });
  if (count !== 1) throw new Error(`There are ${count} applications with the id ${id}`);
}

/** The form of the values of {@link markedValues}, which nothing else in a response has. */
const marks: Readonly<Record<RestrictableAttribute, RegExp>> = {
  job_title: /markedtitle/i,
  location: /markedlocation/i,
  hire_date: /1871-03-\d\d/,
  termination_date: /1932-05-\d\d/,
  manager_id: /markedmanager/i,
};

/**
 * A value of each attribute that an application can be without, which {@link markersIn} finds. No two numbers have the same one.
 *
 * @param number from 0 to 21
 */
export function markedValues(number: number) {
  return {
    jobTitle: `markedtitle${number}`,
    location: `markedlocation${number}`,
    hireDate: `1871-03-${10 + number}`,
    terminationDate: `1932-05-${10 + number}`,
    // An id that no employee has, because that of a manager is in the responses as that of an employee.
    managerId: `markedmanager${number}`,
  };
}

/** {@link markedValues} for the models, which have a `Date` for a date. */
export function storedMarkedValues(number: number) {
  const { hireDate, terminationDate, ...texts } = markedValues(number);
  return { ...texts, hireDate: new Date(hireDate), terminationDate: new Date(terminationDate) };
}

/** The attributes of which a text has a marked value, as it is or encoded as in cursors. */
export function markersIn(text: string): RestrictableAttribute[] {
  const decoded = [...text.matchAll(/[A-Za-z0-9_-]{12,}/g)].map(([part]) =>
    Buffer.from(part, 'base64url').toString(),
  );
  const searched = [text, ...decoded].join('\n');
  return restrictableAttributes.filter((name) => marks[name].test(searched));
}

/** Everything that a client receives. */
export function received({ headers, body }: Pick<LightMyRequestResponse, 'headers' | 'body'>): string {
  return `${JSON.stringify(headers)}\n${body}`;
}

/** A record of a response: an employee, a row or a column of a report, or an event. */
export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly attributes?: Readonly<Record<string, unknown>> | null;
  /** The members of an event. */
  readonly changed?: readonly string[];
  readonly resource?: Resource;
}

interface Meta {
  readonly columns?: readonly { readonly key: string }[];
  readonly [member: string]: unknown;
}

/** A response with employees. */
export interface EmployeeBody {
  readonly data: Resource | readonly Resource[];
  readonly meta?: Meta;
  readonly [member: string]: unknown;
}

/** What is left of a record for an application without these attributes: the record, or nothing. */
export function shownTo(resource: Resource, restricted: Restricted): Resource[] {
  const hidden: readonly string[] = restricted;
  if (resource.type === 'report_columns') return hidden.includes(resource.id) ? [] : [resource];
  if (resource.type === 'employee_changes')
    return changeShownTo(resource, (attribute) => !hidden.includes(attribute));
  if (resource.changed === undefined || resource.resource === undefined)
    return [withoutAttributes(resource, restricted)];
  const changed = resource.changed.filter((name) => !hidden.includes(name));
  if (resource.type === 'employee.updated' && changed.length === 0) return [];
  return [{ ...resource, changed, resource: withoutAttributes(resource.resource, restricted) }];
}

/** What is left of a change of an employee for an application that may read these attributes: the change, or nothing. */
export function changeShownTo(resource: Resource, isReadable: (attribute: string) => boolean): Resource[] {
  const { attributes } = resource as Resource & { readonly attributes: Change['attributes'] };
  const changes = attributes.changes.filter(({ attribute }) => isReadable(attribute));
  if (attributes.kind === 'updated' && changes.length === 0) return [];
  return [{ ...resource, attributes: { ...attributes, changes } }];
}

function withoutAttributes(resource: Resource, restricted: Restricted): Resource {
  const { attributes } = resource;
  if (attributes === undefined || attributes === null) return resource;
  const hidden: readonly string[] = restricted;
  const left = Object.entries(attributes).filter(([name]) => !hidden.includes(name));
  return { ...resource, attributes: Object.fromEntries(left) };
}

/**
 * What is left of a response for an application without these attributes; `null` if its only record is none.
 *
 * @param body the response to an application that may read all
 */
export function bodyShownTo(body: EmployeeBody, restricted: Restricted): EmployeeBody | null {
  const data = [body.data].flat().flatMap((resource) => shownTo(resource, restricted));
  const [first] = data;
  const isList = Array.isArray(body.data);
  if (!isList && first === undefined) return null;
  const meta = metaShownTo(body, restricted, data.length);
  const { meta: _meta, ...others } = body;
  return {
    ...others,
    data: isList || first === undefined ? data : first,
    ...(meta !== undefined && { meta }),
  };
}

function metaShownTo({ data, meta }: EmployeeBody, restricted: Restricted, count: number): Meta | undefined {
  if (restricted.length === 0) return meta;
  const hidden: readonly string[] = restricted;
  const isColumns = [data].flat().some(({ type }) => type === 'report_columns');
  return {
    ...meta,
    ...(isColumns && { record_count: count }),
    ...(meta?.columns !== undefined && { columns: meta.columns.filter(({ key }) => !hidden.includes(key)) }),
    restricted,
  };
}
