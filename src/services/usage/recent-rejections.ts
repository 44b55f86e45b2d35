import { randomId } from '../../database/ids.js';
import { type ApiCall, applicationKey, type CallingApplication } from './api-call.js';

/** Rejected requests that are kept of each application. */
export const keptRejections = 20;

/** A request that was rejected and is not stored yet. */
export interface Rejection extends CallingApplication {
  readonly id: string;
  readonly userId: string | null;
  readonly operation: string;
  readonly status: number;
  readonly code: string | null;
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The last rejected requests of each application. It has a bounded size: beyond that those of an application go. */
export class RecentRejections {
  readonly #maximumApplications: number;
  #rejections = new Map<string, Rejection[]>();

  constructor(maximumApplications: number) {
    this.#maximumApplications = maximumApplications;
  }

  /** Notes a call if it was rejected. */
  add(call: ApiCall, at: number): void {
    const { status } = call;
    if (status === undefined || status < 400) return;
    const { accountId, applicationId, clientId, userId, operation, requestId, code } = call;
    const application = { accountId, applicationId, clientId };
    this.#insert({ id: randomId(), ...application, userId, operation, requestId, code, status, at });
  }

  /** Removes all rejections and returns them. */
  takeAll(): Rejection[] {
    const taken = [...this.#rejections.values()].flat();
    this.#rejections = new Map();
    return taken;
  }

  /** Adds rejections that were taken and could not be stored to those that came meanwhile. */
  putBack(rejections: readonly Rejection[]): void {
    const later = this.takeAll();
    for (const rejection of [...rejections, ...later]) this.#insert(rejection);
  }

  #insert(rejection: Rejection): void {
    const key = applicationKey(rejection);
    const list = this.#rejections.get(key);
    if (list !== undefined) {
      list.push(rejection);
      if (list.length > keptRejections) list.shift();
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
