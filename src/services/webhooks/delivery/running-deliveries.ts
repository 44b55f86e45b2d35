/** Deliveries of this process at a time, and of one account, so that none waits for all endpoints of another. */
const maximum = 100;

export const maximumOfAccount = 20;

/** The deliveries that run in this process. */
export class RunningDeliveries {
  readonly #byAccount = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** How many more may run. */
  get room(): number {
    return maximum - this.#total;
  }

  get byAccount(): ReadonlyMap<string, number> {
    return this.#byAccount;
  }

  /** Whether endpoints of the account may wait although they are due. */
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
