import type { ApplicationDetails, SecretSummary } from '../../../oauth/clients/application-details.js';
import { type Column, column, DataTable } from '../../../platform/pages/data-table.js';
import { Form } from '../../../platform/pages/form-parts.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { Timestamp, TimestampOrNever } from '../../../platform/pages/timestamp.js';
import { maximumSecrets } from '../client-credentials.js';
import { isExpired } from '../secret-expiry.js';
import { Expiry, ExpiryFields, type ExpiryForm } from './expiry-fields.js';

/** The form that creates a secret. */
export interface NewSecret {
  readonly form: ExpiryForm;
  /** Identifies the form, so that a repeated submission creates no other secret. */
  readonly nonce: string;
}

interface SecretsProps {
  readonly application: ApplicationDetails;
  readonly now: Date;
  readonly newSecret: NewSecret;
}

/** Client secrets of an application, and the next step to replace one. */
export function SecretsSection({ application, now, newSecret }: SecretsProps) {
  const { id, secrets } = application;
  return (
    <section>
      <h2>Client secrets</h2>
      {secrets.length > 0 && (
        <DataTable caption="Client secrets" columns={secretColumns(application, now)} rows={secrets} />
      )}
      {secrets.length < maximumSecrets ? (
        <>
          <p>
            To replace a secret without downtime, create a second one, deploy it, and revoke the first one
            when it is no longer used. Replace a lost secret in the same way.
          </p>
          <Form
            action={applicationAddress(id, 'secrets')}
            hidden={[['form', newSecret.nonce]]}
            button={secrets.length === 0 ? 'Create a secret' : 'Create a second secret'}
          >
            <ExpiryFields form={newSecret.form} />
          </Form>
        </>
      ) : secrets.some((secret) => isExpired(secret, now)) ? (
        <p>
          An expired secret is rejected. Revoke it before you create another: an application has at most two
          secrets.
        </p>
      ) : (
        <p>
          Both secrets are valid. When your software uses the new secret and “Last used” of the old one no
          longer changes, revoke the old one, which is listed first. An application has at most two secrets.
        </p>
      )}
    </section>
  );
}

function secretColumns(
  { id, secrets }: Pick<ApplicationDetails, 'id' | 'secrets'>,
  now: Date,
): Column<SecretSummary>[] {
  return [
    column('Secret', (secret) => (
      <strong>
        <SecretName {...secret} />
      </strong>
    )),
    column('Created', ({ createdAt }) => <Timestamp at={createdAt} />),
    column('Last used', ({ lastUsedAt }) => <TimestampOrNever at={lastUsedAt} />),
    column('Expiry', ({ expiresAt }) => <Expiry {...{ expiresAt, now }} />),
    ...(secrets.length < 2
      ? []
      : [
          column<SecretSummary>('Action', (secret) => (
            <a href={applicationAddress(id, 'secrets', secret.id, 'revoke')}>
              Revoke
              <span class="unseen">
                {' '}
                <SecretName {...secret} />
              </span>
            </a>
          )),
        ]),
  ];
}

/** Text that identifies a secret: its last characters or, for a secret of an earlier version, the date. */
export function SecretName({
  lastCharacters,
  createdAt,
}: Pick<SecretSummary, 'lastCharacters' | 'createdAt'>) {
  return lastCharacters === null ? (
    <>
      Secret created on <Timestamp at={createdAt} />
    </>
  ) : (
    <>
      Secret ending in <code>{lastCharacters}</code>
    </>
  );
}
