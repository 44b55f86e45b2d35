import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from './logger.js';

/** Milliseconds for which a process that stops waits for what it runs. */
const stopMilliseconds = 5_000;

/** What a worker can claim now. */
export interface ClaimLimits {
  readonly maximum: number;
  /** Maximum of an account, together with those that the process runs already. */
  readonly maximumOfAccount: number;
  /** Number of claims that the process runs, by account. */
  readonly running: ReadonlyMap<string, number>;
}

interface ClaimWorkerOptions {
  /** Maximum number of claims that this process runs concurrently. */
  readonly maximumRunning: number;
  /** Number of them of one account, so that an account does not wait for all claims of another. Default: no limit. */
  readonly maximumOfAccount?: number;
  /** Milliseconds that a claim waits after a run, so that it is shared by runs that end meanwhile. Default: 0. */
  readonly claimDelayMilliseconds?: number;
  /** What it claims, for the log, such as "webhooks". */
  readonly name: string;
  readonly logger?: Logger | undefined;
}

/**
 * Claims rows that are due, in any process, and runs them. There is no queue in the process: what is due waits in the database. Of
 * several processes one claims a row.
 */
export abstract class ClaimWorker<Claim extends { readonly accountId: string }> {
  /** Aborted when the process stops. */
  protected readonly stopping: AbortSignal;
  readonly #options: ClaimWorkerOptions;
  readonly #maximumOfAccount: number;
  readonly #stopping = new AbortController();
  readonly #runs = new Set<Promise<void>>();
  readonly #byAccount = new Map<string, number>();
  /** Claims run one after the other. */
  #claims: Promise<void> = Promise.resolve();
  /** Whether another claim is queued behind the running one. It also finds what becomes due meanwhile. */
  #isClaimQueued = false;

  constructor(options: ClaimWorkerOptions) {
    this.#options = options;
    this.#maximumOfAccount = options.maximumOfAccount ?? Number.POSITIVE_INFINITY;
    this.stopping = this.#stopping.signal;
  }

  /** Claims rows that are due. */
  protected abstract claim(limits: ClaimLimits): Promise<readonly Claim[]>;

  /**
   * Runs a claim. Never rejects.
   *
   * @returns whether to look for others at once. Otherwise the worker does so only if they may be waiting because of its limits.
   */
  protected abstract run(claim: Claim): Promise<boolean>;

  /** Makes rows due. Called before the claim of a poll. */
  protected async beforePoll(): Promise<void> {}

  /** The account whose limit a claim counts for. */
  protected accountOf({ accountId }: Claim): string {
    return accountId;
  }

  /** Interrupts what still runs a few seconds after the process was stopped. */
  protected interrupt(): void {}

  /** Number of claims that this process runs. */
  get running(): number {
    return this.#runs.size;
  }

  /** Starts what is due, up to the limits of this process. */
  poll(): Promise<void> {
    return this.#queueClaim(() => this.beforePoll());
  }

  /** Looks for what is due without waiting for the result. */
  wake(): void {
    if (this.#isClaimQueued || this.stopping.aborted) return;
    const { claimDelayMilliseconds: delay, name, logger } = this.#options;
    this.#queueClaim(async () => {
      if (delay !== undefined) await wait(delay);
    }).catch((err) => logger?.warn({ err }, `looking for ${name} failed and will be retried`));
  }

  /** Resolves when nothing runs in this process. */
  async idle(): Promise<void> {
    await this.#claims;
    while (this.#runs.size > 0) {
      await Promise.all(this.#runs);
      await this.#claims;
    }
  }

  /** Stops after what runs, or interrupts it after a few seconds. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const timer = setTimeout(() => this.interrupt(), stopMilliseconds);
    await this.idle();
    clearTimeout(timer);
  }

  #queueClaim(before: () => Promise<void>): Promise<void> {
    this.#isClaimQueued = true;
    const claims = this.#claims.then(async () => {
      try {
        await before();
      } finally {
        this.#isClaimQueued = false;
        await this.#claimAll();
      }
    });
    this.#claims = claims.catch(() => {});
    return claims;
  }

  async #claimAll(): Promise<void> {
    while (this.#room > 0 && !this.stopping.aborted) {
      const claims = await this.claim({
        maximum: this.#room,
        maximumOfAccount: this.#maximumOfAccount,
        running: this.#byAccount,
      });
      if (claims.length === 0) return;
      for (const claim of claims) this.#start(claim);
    }
  }

  get #room(): number {
    return this.#options.maximumRunning - this.#runs.size;
  }

  #start(claim: Claim): void {
    const account = this.accountOf(claim);
    this.#byAccount.set(account, (this.#byAccount.get(account) ?? 0) + 1);
    const run = this.run(claim).then((isMoreDue) => {
      const count = this.#byAccount.get(account) ?? 0;
      const hadNoRoom = this.#room <= 0 || count >= this.#maximumOfAccount;
      this.#runs.delete(run);
      if (count > 1) this.#byAccount.set(account, count - 1);
      else this.#byAccount.delete(account);
      if (isMoreDue || hadNoRoom) this.wake();
    });
    this.#runs.add(run);
  }
}
