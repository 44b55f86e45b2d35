export { addUsageCommand } from './commands.js';
export { countWords } from './pages/calls-chart.js';
export { type CallCounts, sumOf, usageDays } from './pages/usage-figures.js';
export { type UsagePageDependencies, usagePage } from './pages/usage-page.js';
export { lastDays } from './usage-reader.js';
