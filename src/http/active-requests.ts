/** What is known of a request that may be worked on. */
export interface Workable {
  /** Whether the server is at work on it, rather than waiting for its body or sending the answer. */
  active: boolean;
}

/** Requests that may always be worked on at the same time: as many are answered soon by the slowest server. */
const alwaysAllowed = 100;

/** How many requests the server is at work on, and how many these may be. */
export class ActiveRequests {
  readonly #maximum: number;
  #now = 0;
  #finished = 0;
  #limit: number;

  /** @param maximum requests that are worked on at the same time, however many are finished */
  constructor(maximum: number) {
    this.#maximum = maximum;
    this.#limit = Math.min(maximum, alwaysAllowed);
  }

  /** Whether the next request would have to wait too long behind these. */
  get full(): boolean {
    return this.#now >= this.#limit;
  }

  /** Work on a request that is not active begins, or goes on. */
  begin(request: Workable): void {
    request.active = true;
    this.#now += 1;
  }

  /** The request waits for its client. */
  pause(request: Workable): void {
    if (!request.active) return;
    request.active = false;
    this.#now -= 1;
  }

  finish(request: Workable): void {
    if (request.active) this.#finished += 1;
    this.pause(request);
  }

  /** From now on as many are allowed as were finished since the last call, which is how long the last of them waits. */
  adapt(): void {
    this.#limit = Math.min(this.#maximum, Math.max(alwaysAllowed, this.#finished));
    this.#finished = 0;
  }
}
