import { isStorableText } from '../../platform/contract/storable-text.js';
import type { ReportSortKey } from './report-order.js';
import type { ResultAnchor } from './results/report-results.js';

/** Attributes that reports can be sorted by, and their properties. */
export const reportSortKeys: Readonly<Record<string, ReportSortKey>> = {
  title: 'title',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
};

/** Whether the content of a cursor is an anchor of a page of rows. Whether it matches the report is checked later. */
export function isResultAnchor(value: unknown): value is ResultAnchor {
  const { version, values } = (value ?? {}) as Partial<ResultAnchor>;
  return Number.isSafeInteger(version) && Array.isArray(values) && values.every(isStorableText);
}
