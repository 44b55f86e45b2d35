import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The parts of the contract that one request and its response cover. */
export interface Recorded {
  /** Operation of the request; absent if no route matched. */
  readonly operation?: string | undefined;
  readonly status: number;
  /** Media type of the response, without its parameters; empty if there is no body. */
  readonly mediaType: string;
  /** Code of a problem document. */
  readonly code?: string | undefined;
  /** Names of the query parameters and headers that were sent. */
  readonly sent: readonly string[];
  /** Names of those that the errors of the response refer to. */
  readonly rejected: readonly string[];
}

/** Directory in which each process of a test run stores its exchanges. */
const directory = process.env.CONTRACT_EXCHANGES;

const seen = new Set<string>();

if (directory !== undefined) {
  process.once('exit', () => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(path.join(directory, `${process.pid}.jsonl`), [...seen].join('\n'));
  });
}

/** Records an exchange, for the report on the contract coverage of the tests. */
export function recordExchange(exchange: Recorded): void {
  if (directory !== undefined) seen.add(JSON.stringify(exchange));
}
