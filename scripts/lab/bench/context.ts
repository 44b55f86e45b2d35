import type { Database, PostgresqlServer } from '../kit/database/postgresql.js';
import type { Generator } from '../kit/load/generator.js';
import type { Table } from '../kit/table.js';
import type { Bar } from './bars.js';
import type { DatabaseKind } from './databases.js';
import type { Options } from './options.js';
import type { ChartBar } from './report/svg.js';

/** The context of all scenarios. */
export interface Context {
  readonly options: Options;
  readonly server: PostgresqlServer;
  readonly generator: Generator;
  readonly progress: (text: string) => void;
  /** A database of a kind, created when it is first requested. `root`: of another checkout with a schema of its own. */
  readonly database: (kind: DatabaseKind, root?: string) => Promise<Database>;
}

export interface Finding {
  readonly table: Table;
  readonly bars: readonly Bar[];
  /** The data of the scenario in the chart. */
  readonly chart?: readonly ChartBar[];
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  run(context: Context): Promise<Finding>;
}
