import { change, Unit } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import type { Idempotency, IdempotentOutcome } from '../../platform/idempotency/idempotency.js';
import type { IdempotentRequest, StoredResponse } from '../../platform/idempotency/key-claim.js';
import type { EndpointContext, WebhookEndpoint } from './webhook-endpoint.js';
import type { WebhookSecrets } from './webhook-secrets.js';

/** An endpoint with a new secret, which cannot be read later. */
export interface NewSecret {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

/** The context of a request that may be repeated with its idempotency key. */
export interface KeyedContext extends EndpointContext {
  readonly userId: string | null;
  /** `undefined`: the request has no key. */
  readonly once:
    | (Pick<IdempotentRequest, 'key' | 'operation' | 'payload'> & {
        /** Builds the response to this request and to repeated ones. */
        readonly describe: (created: NewSecret) => Omit<StoredResponse, 'secretOf'>;
      })
    | undefined;
}

/** Rolls back a change that created no secret. Its outcome is not stored, so that a corrected request may use the key. */
class NothingCreated extends Error {
  override readonly name = 'NothingCreated';
  readonly outcome: unknown;

  constructor(outcome: unknown) {
    super('No secret was created');
    this.outcome = outcome;
  }
}

/** Changes that create a secret: once for each idempotency key. The stored response is encrypted. */
export class KeyedChanges {
  readonly #prisma: Database['prisma'];
  readonly #idempotency: Idempotency;
  readonly #secrets: WebhookSecrets;

  constructor({ prisma }: Pick<Database, 'prisma'>, idempotency: Idempotency, secrets: WebhookSecrets) {
    this.#prisma = prisma;
    this.#idempotency = idempotency;
    this.#secrets = secrets;
  }

  /**
   * Makes a change as `change` does.
   *
   * @param lockRows returns `null` when the application or the endpoint does not exist; `work` then changes nothing
   * @returns with a key and a new secret, the outcome of the key
   */
  async run<Locked, Outcome>(
    context: EndpointContext | KeyedContext,
    lockRows: (tx: Prisma.TransactionClient, context: EndpointContext) => Promise<Locked | null>,
    work: (unit: Unit<EndpointContext>, locked: Locked | null) => Promise<Outcome>,
  ): Promise<Outcome | IdempotentOutcome> {
    const once = 'once' in context ? context.once : undefined;
    if (once === undefined) return await change(this.#prisma, context, lockRows, work);
    const { accountId, applicationId, userId, at } = context;
    try {
      const outcome = await this.#idempotency.respondOnce(
        { ...once, accountId, applicationId, userId: userId ?? null, at },
        {
          // The key refers to the application.
          prepare: async (tx) => {
            if ((await lock.application(tx, context)) !== null) return;
            throw new NothingCreated(await work(new Unit(tx, context), null));
          },
          work: async (tx) => {
            const outcome = await work(new Unit(tx, context), await lockRows(tx, context));
            if (!hasSecret(outcome)) throw new NothingCreated(outcome);
            const { status, headers, body } = once.describe(outcome);
            return {
              status,
              headers,
              body: await this.#secrets.sealResponse(body),
              secretOf: outcome.endpoint.id,
            };
          },
        },
      );
      if (outcome.kind !== 'completed') return outcome;
      const body = await this.#secrets.openResponse(outcome.response.body);
      return { kind: 'completed', response: { ...outcome.response, body } };
    } catch (error) {
      if (error instanceof NothingCreated) return error.outcome as Outcome;
      throw error;
    }
  }
}

function hasSecret(outcome: unknown): outcome is NewSecret {
  return Object.hasOwn(Object(outcome), 'secret');
}
