/**
 * Reports that the compiler must reject, as the server does. Each `@ts-expect-error` is a test: if the line below it
 * compiles, `tsc --noEmit` fails. `test/reports/report-bodies.test.ts` sends such bodies to the server.
 */
import type { components } from '../../src/platform/contract/generated.js';

type Create = components['schemas']['ReportCreateRequest'];
type Update = components['schemas']['ReportUpdateRequest'];

export const accepted: readonly Create[] = [
  { title: 'x' },
  { title: 'x', columns: ['email'], group_by: [] },
  { title: 'x', group_by: ['department'], columns: [], sort: ['-count'] },
  { title: 'x', filters: [{ field: 'status', operator: 'in', value: ['active'] }] },
];

// @ts-expect-error a report has columns or group_by
export const bothShapes: Create = { title: 'x', columns: ['email'], group_by: ['department'] };

export const listForText: Create = {
  title: 'x',
  // @ts-expect-error eq compares with one value
  filters: [{ field: 'status', operator: 'eq', value: ['active'] }],
};

export const textForList: Create = {
  title: 'x',
  // @ts-expect-error in compares with a list
  filters: [{ field: 'status', operator: 'in', value: 'active' }],
};

export const dateFilter: Create = {
  title: 'x',
  filters: [{ field: 'hire_date', operator: 'before', value: '2026-01-01' }],
};

export const textBefore: Create = {
  title: 'x',
  // @ts-expect-error before compares dates
  filters: [{ field: 'last_name', operator: 'before', value: 'M' }],
};

// @ts-expect-error the column is unknown
export const unknownColumn: Create = { title: 'x', columns: ['salary'] };

// @ts-expect-error only a grouped report has a count
export const countOfList: Create = { title: 'x', columns: ['email'], sort: ['-count'] };

// @ts-expect-error the sort key is unknown
export const unknownSortKey: Create = { title: 'x', group_by: ['status'], sort: ['salary'] };

export const measures: Create = {
  title: 'x',
  group_by: ['tenure_band'],
  measures: [
    { function: 'average', field: 'tenure' },
    { function: 'sum', field: 'custom.salary' },
  ],
  sort: ['-average_tenure', 'sum_custom.salary', 'tenure_band'],
};

export const unknownFunction: Create = {
  title: 'x',
  group_by: ['status'],
  // @ts-expect-error the function is unknown
  measures: [{ function: 'median', field: 'tenure' }],
};

export const textField: Create = {
  title: 'x',
  group_by: ['status'],
  // @ts-expect-error texts have no measures
  measures: [{ function: 'maximum', field: 'department' }],
};

// @ts-expect-error only a grouped report has measures
export const measureOfList: Create = { title: 'x', columns: ['email'], sort: ['-average_tenure'] };

export const acceptedUpdates: readonly Update[] = [
  { measures: [{ function: 'maximum', field: 'hire_date' }] },
  { description: null },
  { sort: ['-count'] },
  { group_by: [] },
  { columns: ['email'] },
];

// @ts-expect-error a report has columns or group_by
export const bothShapesInUpdate: Update = { columns: ['email'], group_by: ['department'] };
