import type { Scenario } from '../context.js';
import { clusterScenarios } from './clusters.js';
import { csvScenario } from './csv.js';
import { filtersScenario } from './filters.js';
import { tokenScenarios } from './issue-tokens.js';
import { pagesScenario } from './pages.js';
import { customScenarios, dpopScenarios, readScenarios } from './read-employees.js';
import { scaleScenarios } from './scale.js';
import { syncScenario } from './sync.js';
import { webhookScenarios } from './webhooks/webhooks.js';

/** All scenarios, in the order of the report. */
export const scenarios: readonly Scenario[] = [
  ...readScenarios,
  ...customScenarios,
  ...dpopScenarios,
  ...tokenScenarios,
  pagesScenario,
  filtersScenario,
  syncScenario,
  csvScenario,
  ...webhookScenarios,
  ...scaleScenarios,
  ...clusterScenarios,
];
