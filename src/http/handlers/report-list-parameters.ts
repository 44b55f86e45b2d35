import { isStorableText } from '../../contract/storable-text.js';
import type { ReportSortKey } from '../../services/reports/report-order.js';
import type { ResultAnchor } from '../../services/reports/results/report-results.js';

/** The attributes that reports are listed by. */
export const reportSortKeys: Readonly<Record<string, ReportSortKey>> = {
  title: 'title',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
};

/** Whether a cursor's content says where a page of rows begins; whether it fits the report is seen later. */
export function isResultAnchor(value: unknown): value is ResultAnchor {
  const { version, values } = (value ?? {}) as Partial<ResultAnchor>;
  return Number.isSafeInteger(version) && Array.isArray(values) && values.every(isStorableText);
}
