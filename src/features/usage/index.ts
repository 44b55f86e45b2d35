export { addUsageCommand } from './commands.js';
export { countWords } from './pages/calls-chart.js';
export { usageDays } from './pages/usage-days.js';
export { type CallCounts, sumOf } from './pages/usage-figures.js';
export { type UsagePageDependencies, usagePage } from './pages/usage-routes.js';
export { lastDays } from './usage-range.js';
