import { setTimeout as wait } from 'node:timers/promises';
import { jsonOf } from '../../client/client.mjs';
import { Uncertain } from '../fleet.mjs';

/** Milliseconds after which the database has finished or forgotten whatever a broken connection left it with. */
const settleMs = 2_000;

/**
 * One caller that does one thing after the other and knows what every answer must be. What it found out during a fault
 * it finds out again before it goes on.
 */
export class Actor {
  constructor({ fleet, verdict, random, account, stopped, people, revoked }) {
    Object.assign(this, { fleet, verdict, random, account, stopped, people, revoked });
  }

  async run() {
    while (!this.stopped()) {
      try {
        await this.step();
      } catch (error) {
        if (!(error instanceof Uncertain)) {
          return this.verdict.fault(`${this.constructor.name} cannot go on`, error.stack);
        }
        await wait(20 + this.random.upTo(80));
      }
    }
  }

  /** The answer, which must have this status; anything else is a fault. */
  async expect(status, request, kind, index) {
    const answer = await this.fleet.send(request, index);
    if (answer.status !== status) this.wrong(kind, request, answer);
    return answer;
  }

  wrong(kind, request, answer) {
    this.verdict.fault(
      kind,
      `${request.method ?? 'GET'} ${request.path}: ${answer.status} ${answer.body.toString('utf8').slice(0, 300)}`,
    );
    throw new Uncertain(kind);
  }

  /** The answer, or undefined where nobody knows. */
  async attempt(request, index) {
    try {
      return await this.fleet.send(request, index);
    } catch (error) {
      if (error instanceof Uncertain) return undefined;
      throw error;
    }
  }

  /** Asks until there is an answer. @returns undefined where the trial ended before */
  async insist(request, index) {
    for (;;) {
      const answer = await this.attempt(request, index);
      if (answer !== undefined || this.stopped()) return answer;
      await wait(100);
    }
  }

  settle() {
    return wait(settleMs);
  }

  json(answer) {
    return jsonOf(answer);
  }
}

/** Members that differ, for the message of a fault. */
export function differ(actual, expected) {
  return JSON.stringify(actual) === JSON.stringify(expected)
    ? undefined
    : `${JSON.stringify(actual)?.slice(0, 250)} where ${JSON.stringify(expected)?.slice(0, 250)} is right`;
}
