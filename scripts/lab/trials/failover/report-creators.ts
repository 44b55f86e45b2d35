import { setTimeout as wait } from 'node:timers/promises';
import { jsonOf, type Send } from '../../kit/http/client.js';
import { get, sendJson } from '../../kit/http/requests.js';
import { describeExchange } from '../accounts.js';
import type { Verdict } from '../verdict.js';

/** Milliseconds before the next request after a 503. */
const pauseMs = 20;

/** Requests at the same time when reports are read. */
const readers = 16;

/** Clients that create reports, and keep the ids of those whose creation was acknowledged. */
export class ReportCreators {
  /** Time of the response, in milliseconds of `performance.now()`, by id. */
  readonly acknowledged = new Map<string, number>();
  /** Number of responses with status 503. */
  unavailable = 0;
  readonly #send: Send;
  readonly #token: string;
  readonly #verdict: Verdict;
  #stopped = false;
  #serial = 0;

  constructor(send: Send, token: string, verdict: Verdict) {
    this.#send = send;
    this.#token = token;
    this.#verdict = verdict;
  }

  /** Creates reports until it is stopped. */
  async run(clients: number): Promise<void> {
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while (!this.#stopped) await this.#create();
      }),
    );
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Reads every acknowledged report. */
  async countMissing(): Promise<number> {
    const ids = [...this.acknowledged.keys()];
    let missing = 0;
    await Promise.all(
      Array.from({ length: readers }, async () => {
        for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
          const request = get(`/v1/reports/${id}`, this.#token);
          const response = await this.#send(request);
          if (response.status === 200) continue;
          missing += 1;
          this.#verdict.violation('an acknowledged report is lost', describeExchange(request, response));
        }
      }),
    );
    return missing;
  }

  async #create(): Promise<void> {
    this.#serial += 1;
    const request = sendJson('POST', '/v1/reports', this.#token, {
      title: `Report ${this.#serial}`,
      columns: ['email'],
    });
    try {
      const response = await this.#send(request);
      if (response.status === 201) {
        this.acknowledged.set(jsonOf(response).data.id, performance.now());
        return;
      }
      this.unavailable += 1;
      if (response.status !== 503 || response.headers['retry-after'] === undefined)
        this.#verdict.violation('a response is neither 201 nor 503', describeExchange(request, response));
    } catch (error) {
      this.#verdict.violation('a request has no response', (error as Error).stack);
    }
    await wait(pauseMs);
  }
}
