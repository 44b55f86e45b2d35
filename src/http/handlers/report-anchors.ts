import { isStorableText } from '../../contract/text.js';
import type { ReportAnchor, ReportSort, ReportSortKey } from '../../services/reports/report-order.js';
import type { ResultAnchor } from '../../services/reports/results/read-page.js';
import { isServerTimestamp } from '../timestamps.js';

/** The attributes that reports are listed by. */
export const reportSortKeys: Readonly<Record<string, ReportSortKey>> = {
  title: 'title',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
};

/** Whether a cursor's content says where a page of reports begins. */
export function isReportAnchor(value: unknown, sort: readonly ReportSort[]): value is ReportAnchor {
  const { values, id } = (value ?? {}) as Partial<ReportAnchor>;
  return (
    Array.isArray(values) &&
    values.length === sort.length &&
    sort.every(({ key }, index) =>
      key === 'title' ? isStorableText(values[index]) : isServerTimestamp(values[index]),
    ) &&
    isStorableText(id)
  );
}

/** Whether a cursor's content says where a page of rows begins; whether it fits the report is seen later. */
export function isResultAnchor(value: unknown): value is ResultAnchor {
  const { version, values } = (value ?? {}) as Partial<ResultAnchor>;
  return Number.isSafeInteger(version) && Array.isArray(values) && values.every(isStorableText);
}
