import type { GivenValues } from './employee-attributes.js';

type Nullable = {
  [Member in keyof GivenValues]: null extends GivenValues[Member] ? Member : never;
}[keyof GivenValues];

/** What is known of an employee outside: every attribute that is always there, and those of the others that are given. */
export type EmployeeRecord = Omit<GivenValues, Nullable> & Partial<Pick<GivenValues, Nullable>>;
