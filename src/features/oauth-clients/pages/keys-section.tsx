import type { ApplicationDetails } from '../../../oauth/clients/application-details.js';
import { usesKeys } from '../../../oauth/clients/client-keys.js';
import { DescriptionItem, DescriptionList } from '../../../platform/pages/form-parts.js';
import { applicationAddress } from '../../../platform/pages/paths.js';

/** The keys of an application, on its credentials page. */
export function KeysSection({ application }: { application: ApplicationDetails }) {
  const { id, jwks, jwksUri } = application;
  const change = applicationAddress(id, 'keys');
  if (!usesKeys(application))
    return (
      <section>
        <h2>Keys instead of a secret</h2>
        <p>
          An application can sign its requests with a private key, which it never sends. Its client secrets
          are then revoked.
        </p>
        <p>
          <a class="button secondary" href={change}>
            Use keys
          </a>
        </p>
      </section>
    );
  return (
    <section>
      <h2>Keys</h2>
      <DescriptionList>
        {jwksUri !== null && (
          <DescriptionItem name="URL of the key set">
            <code>{jwksUri}</code>
          </DescriptionItem>
        )}
        {jwks?.keys.map(({ kty, kid }) => (
          <DescriptionItem key={kid} name="Public key">
            {kty} <code>{kid}</code>
          </DescriptionItem>
        ))}
      </DescriptionList>
      <p>
        <a class="button secondary" href={change}>
          Change keys
        </a>{' '}
        <a class="button danger" href={applicationAddress(id, 'keys', 'remove')}>
          Use a client secret instead
        </a>
      </p>
    </section>
  );
}
