import type { ApplicationDetails, SecretSummary } from '../../../oauth/clients/application-details.js';
import type { User } from '../../../platform/accounts/user.js';
import { randomId } from '../../../platform/database/ids.js';
import { type Column, DataTable } from '../../../platform/pages/data-table.js';
import { CsrfField } from '../../../platform/pages/layout.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { Timestamp, TimestampOrNever } from '../../../platform/pages/timestamp.js';
import { maximumSecrets } from '../client-secrets.js';

/** Client secrets of an application, and the next step to replace one. */
export function SecretsSection({
  context,
  application,
}: {
  context: PageContext;
  application: ApplicationDetails;
}) {
  const { id, secrets } = application;
  return (
    <section>
      <h2>Client secrets</h2>
      {secrets.length > 0 && (
        <DataTable
          caption="Client secrets"
          columns={columnsFor(context.user, application)}
          rows={secrets}
          rowKey={(secret) => secret.id}
        />
      )}
      {secrets.length < maximumSecrets ? (
        <>
          <p>
            To replace a secret without downtime, create a second one, deploy it, and revoke the first one
            when it is no longer used. Replace a lost secret in the same way.
          </p>
          <form method="post" action={applicationAddress(id, 'secrets')}>
            <CsrfField token={context.csrfToken} />
            <input type="hidden" name="form" value={randomId()} />
            <button type="submit" class="secondary">
              {secrets.length === 0 ? 'Create a secret' : 'Create a second secret'}
            </button>
          </form>
        </>
      ) : (
        <p>
          Both secrets are valid. When your software uses the new secret and “Last used” of the old one no
          longer changes, revoke the old one, which is listed first. An application has at most two secrets.
        </p>
      )}
    </section>
  );
}

function columnsFor(
  reader: User,
  { id, secrets }: Pick<ApplicationDetails, 'id' | 'secrets'>,
): Column<SecretSummary>[] {
  const column = (label: string, cell: Column<SecretSummary>['cell']): Column<SecretSummary> => ({
    key: label,
    label,
    heading: label,
    cell,
  });
  return [
    column('Secret', (secret) => <strong>{secretName(secret, reader)}</strong>),
    column('Created', ({ createdAt }) => <Timestamp at={createdAt} reader={reader} />),
    column('Last used', ({ lastUsedAt }) => <TimestampOrNever at={lastUsedAt} reader={reader} />),
    ...(secrets.length < 2
      ? []
      : [
          column('Action', (secret) => (
            <a href={applicationAddress(id, 'secrets', secret.id, 'revoke')}>
              Revoke<span class="unseen"> {secretName(secret, reader)}</span>
            </a>
          )),
        ]),
  ];
}

/** Text that identifies a secret: its last characters or, for a secret of an earlier version, the date. */
export function secretName({ lastCharacters, createdAt }: SecretSummary, reader: User) {
  return lastCharacters === null ? (
    <>
      Secret created on <Timestamp at={createdAt} reader={reader} />
    </>
  ) : (
    <>
      Secret ending in <code>{lastCharacters}</code>
    </>
  );
}
