import { randomId } from '../../platform/database/ids.js';
import { type ApiCall, applicationKey, type CallingApplication } from './identify-applications.js';

/** Number of rejected requests that are stored for each application. */
export const storedRejections = 20;

/** A request that was rejected and is not stored yet. */
export interface RejectedRequest extends CallingApplication {
  readonly id: string;
  readonly userId: string | null;
  readonly operation: string;
  readonly status: number;
  readonly code: string | null;
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The last rejected requests of each application. Beyond a number of applications, those of the oldest are dropped. */
export class RecentRejections {
  readonly #maximumApplications: number;
  #rejections = new Map<string, RejectedRequest[]>();

  constructor(maximumApplications: number) {
    this.#maximumApplications = maximumApplications;
  }

  /** Adds a call if it was rejected. */
  add(call: ApiCall, at: number): void {
    const { status } = call;
    if (status === undefined || status < 400) return;
    const { accountId, applicationId, clientId, userId, operation, requestId, code } = call;
    const application = { accountId, applicationId, clientId };
    this.#insert({ id: randomId(), ...application, userId, operation, requestId, code, status, at });
  }

  /** Removes all rejections and returns them. */
  takeAll(): RejectedRequest[] {
    const taken = [...this.#rejections.values()].flat();
    this.#rejections = new Map();
    return taken;
  }

  /** Puts back rejections that could not be stored. Those that were added since are newer. */
  putBack(rejections: readonly RejectedRequest[]): void {
    const later = this.takeAll();
    for (const rejection of [...rejections, ...later]) this.#insert(rejection);
  }

  #insert(rejection: RejectedRequest): void {
    const key = applicationKey(rejection);
    const list = this.#rejections.get(key);
    if (list !== undefined) {
      list.push(rejection);
      if (list.length > storedRejections) list.shift();
      return;
    }
    this.#rejections.set(key, [rejection]);
    if (this.#rejections.size <= this.#maximumApplications) return;
    for (const oldest of this.#rejections.keys()) {
      this.#rejections.delete(oldest);
      return;
    }
  }
}
