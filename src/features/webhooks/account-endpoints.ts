import type { AccountId } from '../../platform/accounts/account-id.js';
import type { Database } from '../../platform/database/client.js';
import { toWebhookEndpoint, type WebhookEndpoint } from './webhook-endpoint.js';

/** An endpoint and the application that it belongs to. */
export interface AccountEndpoint extends WebhookEndpoint {
  readonly applicationId: string;
  readonly clientId: string;
}

/** The webhook endpoints of all applications of an account. */
export class AccountEndpoints {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Pick<Database, 'prisma'>) {
    this.#prisma = prisma;
  }

  /**
   * Reads endpoints in the order of their ids.
   *
   * @param options.after id of the endpoint before the first one
   */
  async list(
    accountId: AccountId,
    { after = '', size }: { after?: string; size: number },
  ): Promise<AccountEndpoint[]> {
    const rows = await this.#prisma.webhookEndpoint.findMany({
      where: { accountId, id: { gt: after } },
      orderBy: { id: 'asc' },
      take: size,
      include: { application: { select: { clientId: true } } },
    });
    return rows.map(toAccountEndpoint);
  }

  /** Reads the endpoint with this id; `null` if the account has none. */
  async find(accountId: AccountId, id: string): Promise<AccountEndpoint | null> {
    const row = await this.#prisma.webhookEndpoint.findFirst({
      where: { accountId, id },
      include: { application: { select: { clientId: true } } },
    });
    return row === null ? null : toAccountEndpoint(row);
  }
}

function toAccountEndpoint(
  row: Parameters<typeof toWebhookEndpoint>[0] & { application: { clientId: string } },
): AccountEndpoint {
  return {
    ...toWebhookEndpoint(row),
    applicationId: row.applicationId,
    clientId: row.application.clientId,
  };
}
