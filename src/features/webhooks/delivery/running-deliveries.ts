/**
 * Maximum number of concurrent deliveries of this process, and of one account, so that an account does not wait for all
 * endpoints of another.
 */
const maximum = 100;

export const maximumOfAccount = 20;

/** The deliveries that run in this process. There is no queue: endpoints that are due wait in the database. */
export class RunningDeliveries {
  readonly #byAccount = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** Number of deliveries that can be started. */
  get room(): number {
    return maximum - this.#total;
  }

  get byAccount(): ReadonlyMap<string, number> {
    return this.#byAccount;
  }

  /** Whether due endpoints of the account may be waiting because of its limit. */
  hasNoRoom(accountId: string): boolean {
    return this.room <= 0 || (this.#byAccount.get(accountId) ?? 0) >= maximumOfAccount;
  }

  add(accountId: string): void {
    this.#total += 1;
    this.#byAccount.set(accountId, (this.#byAccount.get(accountId) ?? 0) + 1);
  }

  remove(accountId: string): void {
    this.#total -= 1;
    const count = (this.#byAccount.get(accountId) ?? 0) - 1;
    if (count === 0) this.#byAccount.delete(accountId);
    else this.#byAccount.set(accountId, count);
  }
}
