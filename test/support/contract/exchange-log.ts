import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What one request and its response show of the contract. */
export interface Recorded {
  /** Operation that was asked; absent where no route was found. */
  readonly operation?: string | undefined;
  readonly status: number;
  /** Media type of the response, without its parameters; empty where there is no body. */
  readonly mediaType: string;
  /** Code of a problem document. */
  readonly code?: string | undefined;
  /** Names of the query parameters and headers that were sent. */
  readonly sent: readonly string[];
  /** Those that the errors of the response name. */
  readonly rejected: readonly string[];
}

/** Where a run of all tests collects what each of its processes has seen. */
const directory = process.env.CONTRACT_EXCHANGES;

const seen = new Set<string>();

if (directory !== undefined) {
  process.once('exit', () => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(path.join(directory, `${process.pid}.jsonl`), [...seen].join('\n'));
  });
}

/** Writes down what an exchange shows, for the report on what no test has seen. */
export function recordExchange(exchange: Recorded): void {
  if (directory !== undefined) seen.add(JSON.stringify(exchange));
}
