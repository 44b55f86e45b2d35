import { randomId } from '../../database/ids.js';
import type { ApplicationDetails, SecretSummary } from '../../services/applications/application-details.js';
import { maximumSecrets } from '../../services/applications/client-secrets.js';
import type { User } from '../../services/user.js';
import { type Column, DataTable } from '../data-table.js';
import { CsrfField } from '../layout.js';
import type { Visit } from '../site.js';
import { Timestamp, TimestampOrNever } from '../timestamp.js';
import { addressOf } from './application-pages.js';

/** The secrets that are live, and the next step in replacing one by another. */
export function SecretsSection({ visit, application }: { visit: Visit; application: ApplicationDetails }) {
  const { id, secrets } = application;
  return (
    <section>
      <h2>Client secrets</h2>
      {secrets.length > 0 && (
        <DataTable
          caption="Client secrets that work"
          columns={columnsFor(visit.user, application)}
          rows={secrets}
          rowKey={(secret) => secret.id}
        />
      )}
      {secrets.length < maximumSecrets ? (
        <>
          <p>
            To replace the secret without an interruption, create a second one, give it to your software, and
            retire the first when it is not used any more. A secret that was lost is replaced in the same way.
          </p>
          <form method="post" action={addressOf(id, 'secrets')}>
            <CsrfField token={visit.csrfToken} />
            <input type="hidden" name="form" value={randomId()} />
            <button type="submit" class="secondary">
              {secrets.length === 0 ? 'Create a secret' : 'Create a second secret'}
            </button>
          </form>
        </>
      ) : (
        <p>
          Both secrets work. When your software uses the newer one and “last used” of the older one stands
          still, retire the older one. An application has two secrets at most.
        </p>
      )}
    </section>
  );
}

function columnsFor(
  reader: User,
  { id, secrets }: Pick<ApplicationDetails, 'id' | 'secrets'>,
): Column<SecretSummary>[] {
  const nameOf = (secret: SecretSummary) =>
    secrets.length === 1 ? 'The only one' : secret.id === secrets[0]?.id ? 'Older' : 'Newer';
  const column = (label: string, cell: Column<SecretSummary>['cell']): Column<SecretSummary> => ({
    key: label,
    label,
    heading: label,
    cell,
  });
  return [
    column('Secret', (secret) => <strong>{nameOf(secret)}</strong>),
    column('Created', ({ createdAt }) => <Timestamp at={createdAt} reader={reader} />),
    column('Last used', ({ lastUsedAt }) => <TimestampOrNever at={lastUsedAt} reader={reader} />),
    ...(secrets.length < 2
      ? []
      : [
          column('Retire', (secret) => (
            <a href={addressOf(id, 'secrets', secret.id, 'retire')}>
              Retire<span class="unseen"> the {nameOf(secret).toLowerCase()} secret</span>
            </a>
          )),
        ]),
  ];
}
