/** Saved reports of the first demo account. */
export const demoReports = [
  {
    id: 'demoheadcount',
    title: 'Headcount by department',
    description: 'How many people work in each department, including those on leave.',
    columns: [],
    filters: [{ field: 'status', operator: 'in', value: ['active', 'on_leave'] }],
    sort: ['department'],
    groupBy: ['department'],
  },
  {
    id: 'demoengineering',
    title: 'Engineering directory',
    description: 'Everyone in Engineering, by last name.',
    columns: ['employee_number', 'first_name', 'last_name', 'email'],
    filters: [
      { field: 'department', operator: 'eq', value: 'Engineering' },
      { field: 'status', operator: 'not_eq', value: 'terminated' },
    ],
    sort: ['last_name', 'first_name'],
    groupBy: [],
  },
  {
    id: 'demoonleave',
    title: 'On leave',
    description: null,
    columns: ['employee_number', 'first_name', 'last_name', 'department'],
    filters: [{ field: 'status', operator: 'eq', value: 'on_leave' }],
    sort: ['-department', 'last_name'],
    groupBy: [],
  },
];
