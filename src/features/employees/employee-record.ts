import type { GivenValues } from './employee-attributes.js';

type Nullable = {
  [Member in keyof GivenValues]: null extends GivenValues[Member] ? Member : never;
}[keyof GivenValues];

/** An employee as callers provide it: all required attributes, and any of the nullable ones. */
export type EmployeeRecord = Omit<GivenValues, Nullable> & Partial<Pick<GivenValues, Nullable>>;
