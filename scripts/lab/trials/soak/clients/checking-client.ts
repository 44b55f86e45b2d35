import { setTimeout as wait } from 'node:timers/promises';
import type { HttpRequest, HttpResponse } from '../../../kit/http/client.js';
import type { Random } from '../../../kit/random.js';
import { type Account, describeExchange } from '../../accounts.js';
import type { Verdict } from '../../verdict.js';
import { type Fleet, Uncertain } from '../fleet.js';

export interface EmployeeResource {
  readonly id: string;
  readonly type: string;
  readonly attributes: Readonly<Record<string, string | null>>;
}

export interface ClientContext {
  readonly fleet: Fleet;
  readonly verdict: Verdict;
  readonly random: Random;
  readonly account: Account;
  /** All employees of the account, in order. */
  readonly employees: readonly EmployeeResource[];
  /** Access tokens whose revocation was acknowledged, of all clients. */
  readonly revoked: string[];
  readonly stopped: () => boolean;
}

/** Milliseconds after which the database has finished or rolled back the work of a broken connection. */
const settleMs = 2_000;

/** A client that runs steps sequentially and knows the expected responses. */
export abstract class CheckingClient {
  readonly account: Account;
  protected readonly fleet: Fleet;
  protected readonly verdict: Verdict;
  protected readonly random: Random;
  protected readonly employees: readonly EmployeeResource[];
  protected readonly revoked: string[];
  protected readonly stopped: () => boolean;

  constructor({ fleet, verdict, random, account, employees, revoked, stopped }: ClientContext) {
    this.fleet = fleet;
    this.verdict = verdict;
    this.random = random;
    this.account = account;
    this.employees = employees;
    this.revoked = revoked;
    this.stopped = stopped;
  }

  /** @throws {Uncertain} when the outcome of a request is unknown; the next step starts again */
  protected abstract step(): Promise<unknown>;

  async run(): Promise<void> {
    while (!this.stopped()) {
      try {
        await this.step();
      } catch (error) {
        if (!(error instanceof Uncertain)) {
          this.verdict.violation(`${this.constructor.name} cannot continue`, (error as Error).stack);
          return;
        }
        await wait(20 + this.random.upTo(80));
      }
    }
  }

  /** The response, whose status must be this one. */
  protected async expect(
    status: number,
    request: HttpRequest,
    violation: string,
    index?: number,
  ): Promise<HttpResponse> {
    const response = await this.fleet.send(request, index);
    if (response.status !== status) this.fail(violation, request, response);
    return response;
  }

  /** Reports a wrong response and ends the step. */
  protected fail(violation: string, request: HttpRequest, response: HttpResponse): never {
    this.verdict.violation(violation, describeExchange(request, response));
    throw new Uncertain(violation);
  }

  /** Reports a difference, if there is one. */
  protected compare(violation: string, actual: unknown, expected: unknown): void {
    const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (a !== b) this.verdict.violation(violation, `${a?.slice(0, 250)} instead of ${b?.slice(0, 250)}`);
  }

  /** The response, or undefined where the outcome is unknown. */
  protected async attempt(request: HttpRequest): Promise<HttpResponse | undefined> {
    try {
      return await this.fleet.send(request);
    } catch (error) {
      if (error instanceof Uncertain) return undefined;
      throw error;
    }
  }

  /** Sends a request until it has a response. @returns undefined where the trial ends before */
  protected async retry(request: HttpRequest): Promise<HttpResponse | undefined> {
    for (;;) {
      const response = await this.attempt(request);
      if (response !== undefined || this.stopped()) return response;
      await wait(100);
    }
  }

  protected settle(): Promise<void> {
    return wait(settleMs);
  }
}
