import type { User } from '../../platform/accounts/user.js';
import type { AuditOrigin } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { type Clock, dayMilliseconds, hourMilliseconds, secondsAfter } from '../../platform/clock.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import { Problem, retryLater } from '../../platform/problems/problem.js';
import { type Client, describedClient } from './client-registry.js';
import { type MetadataDocument, MetadataDocumentError } from './metadata-document.js';
import type { FetchedDocument, MetadataDocumentFetcher } from './metadata-document-fetch.js';

/** Maximum number of documents in an hour that users of an account can make this server read for the first time. */
const maximumNewDocuments = 20;

/** Time for which the copy of a document serves while the document cannot be read. */
const staleMilliseconds = dayMilliseconds;

/** Time until a document that could not be read is read again. */
const retryMilliseconds = 300_000;

interface StoredDocument {
  readonly document: MetadataDocument;
  readonly freshUntil: Date;
  readonly usableUntil: Date;
}

/**
 * The clients that metadata documents describe. Documents are read in the authorization endpoint only, and stored.
 *
 * @see draft-ietf-oauth-client-id-metadata-document-02
 */
export class MetadataDocuments {
  readonly #prisma: Database['prisma'];
  readonly #clock: Clock;
  readonly #fetcher: MetadataDocumentFetcher;

  constructor({ database, clock }: { database: Database; clock: Clock }, fetcher: MetadataDocumentFetcher) {
    this.#prisma = database.prisma;
    this.#clock = clock;
    this.#fetcher = fetcher;
  }

  /**
   * Reads the document of a client for a user, unless the copy is fresh. While the document cannot be read, the copy serves for
   * a day.
   *
   * @throws {Problem} 401 `invalid_client` when the document cannot be read or is not valid; 429 `rate_limit_exceeded` when users of
   *   the account have named too many new documents
   */
  async read(url: string, user: User, origin: AuditOrigin): Promise<Client> {
    const stored = await this.#find(url);
    const now = this.#clock();
    if (stored !== null && stored.freshUntil > now) return describedClient(stored.document);
    const isUsable = stored !== null && stored.usableUntil > now;
    if (!isUsable) await this.#admit(url, user, origin);
    try {
      const fetched = await this.#fetcher.fetch(url);
      await this.#store(url, fetched);
      return describedClient(fetched.document);
    } catch (error) {
      if (!(error instanceof MetadataDocumentError)) throw error;
      if (!isUsable) throw new Problem('invalid_client', `The application is unavailable. ${error.message}`);
      await this.#prisma.sharedApplication.updateMany({
        where: { clientId: url },
        data: { freshUntil: new Date(now.getTime() + retryMilliseconds) },
      });
      return describedClient(stored.document);
    }
  }

  async #find(clientId: string): Promise<StoredDocument | null> {
    const stored = await this.#prisma.sharedApplication.findUnique({ where: { clientId } });
    if (stored?.document == null || stored.freshUntil === null || stored.usableUntil === null) return null;
    const { document, freshUntil, usableUntil } = stored;
    return { document: document as unknown as MetadataDocument, freshUntil, usableUntil };
  }

  /** Counts a document without a usable copy, whether or not it can be read. The audit log is the count. */
  async #admit(url: string, { accountId, id: userId }: User, origin: AuditOrigin): Promise<void> {
    const at = this.#clock();
    const context = { accountId, userId, origin, at };
    const type = 'application.document_requested';
    const admitted = await change(this.#prisma, context, lock.account, async (unit) => {
      const createdAt = { gt: new Date(at.getTime() - hourMilliseconds) };
      const count = await unit.tx.auditEvent.count({ where: { accountId, type, createdAt } });
      if (count >= maximumNewDocuments) return false;
      await unit.record(type, { client_id: url });
      return true;
    });
    if (admitted) return;
    const detail = `Users of your account have connected ${maximumNewDocuments} new applications within an hour. Try again later.`;
    throw retryLater('rate_limit_exceeded', detail, hourMilliseconds / 1000);
  }

  async #store(clientId: string, { document, freshForSeconds }: FetchedDocument): Promise<void> {
    const freshUntil = secondsAfter(this.#clock(), freshForSeconds);
    const data = {
      document: document as unknown as Prisma.InputJsonObject,
      freshUntil,
      usableUntil: new Date(freshUntil.getTime() + staleMilliseconds),
    };
    await this.#prisma.sharedApplication.upsert({
      where: { clientId },
      create: { clientId, createdAt: this.#clock(), ...data },
      update: data,
    });
  }
}
