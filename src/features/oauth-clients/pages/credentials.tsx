import type { ApplicationDetails } from '../../../oauth/clients/application-details.js';
import { applicationPage } from '../../../oauth/clients/application-tabs.js';
import { usesKeys } from '../../../oauth/clients/client-keys.js';
import { DescriptionItem, DescriptionList } from '../../../platform/pages/form-parts.js';
import type { PageView } from '../../../platform/pages/page-context.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { clientTypeName } from './form-page.js';
import { type NewSecret, SecretsSection } from './secrets-section.js';

/** Command that gets a token. The secret is read from the environment, so that it is not stored in the shell history. */
export function TokenExample({ baseUrl, clientId }: { baseUrl: string; clientId: string }) {
  const lines = [
    `curl -sS ${baseUrl}/v1/oauth/token`,
    '  -d grant_type=client_credentials',
    `  -d client_id=${clientId}`,
    '  -d client_secret="$CLIENT_SECRET"',
  ];
  return (
    <pre>
      <code>{lines.join(' \\\n')}</code>
    </pre>
  );
}

interface CredentialsProps {
  readonly application: ApplicationDetails;
  readonly baseUrl: string;
  readonly now: Date;
  readonly newSecret: NewSecret;
  /** An error of a submitted form. */
  readonly alert?: string;
}

/** How an application authenticates. The values of its secrets are never shown. */
export function credentialsPage(props: CredentialsProps): PageView {
  const { application, baseUrl, now, newSecret, alert } = props;
  const { clientId, clientType, requireClientSecret, requireProofOfPossession, requirePushedRequests } =
    application;
  const { backchannelLogoutUri } = application;
  const body = (
    <>
      <DescriptionList>
        <DescriptionItem name="Client ID">
          <code>{clientId}</code>
        </DescriptionItem>
        <DescriptionItem name="Client type">{clientTypeName(clientType)}</DescriptionItem>
        {usesKeys(application) && (
          <DescriptionItem name="Authentication">Keys, required for every token request</DescriptionItem>
        )}
        {clientType === 'confidential' && !usesKeys(application) && (
          <DescriptionItem name="Client secret">
            {requireClientSecret
              ? 'Required for every token request'
              : 'Optional in requests with an authorization code or a refresh token'}
          </DescriptionItem>
        )}
        <DescriptionItem name="Proof of possession (DPoP)">
          {requireProofOfPossession ? 'Required for every token request' : 'Optional'}
        </DescriptionItem>
        <DescriptionItem name="Pushed requests (PAR)">
          {requirePushedRequests ? 'Required for every authorization request' : 'Optional'}
        </DescriptionItem>
        {backchannelLogoutUri !== null && (
          <DescriptionItem name="Back-channel logout URI">
            <code>{backchannelLogoutUri}</code>
          </DescriptionItem>
        )}
      </DescriptionList>
      {clientType === 'confidential' && !usesKeys(application) && (
        <SecretsSection {...{ application, now, newSecret }} />
      )}
      {clientType === 'confidential' && <KeysSection application={application} />}
      <DeveloperSection {...{ application, baseUrl }} />
    </>
  );
  return applicationPage(application, 'credentials', { alert, body });
}

function KeysSection({ application }: { application: ApplicationDetails }) {
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

function DeveloperSection({ application, baseUrl }: { application: ApplicationDetails; baseUrl: string }) {
  return (
    <section>
      <h2>For developers</h2>
      <DescriptionList>
        <DescriptionItem name="Authorization endpoint">
          <code>{`${baseUrl}/v1/oauth/authorize`}</code>
        </DescriptionItem>
        <DescriptionItem name="Token endpoint">
          <code>{`${baseUrl}/v1/oauth/token`}</code>
        </DescriptionItem>
        <DescriptionItem name="Metadata">
          <a href="/.well-known/oauth-authorization-server">
            <code>{`${baseUrl}/.well-known/oauth-authorization-server`}</code>
          </a>
        </DescriptionItem>
      </DescriptionList>
      {usesKeys(application) ? (
        <p>
          The application sends a <code>client_assertion</code> for <code>{baseUrl}</code>, signed with its
          private key. Client libraries call this method <code>private_key_jwt</code>.
        </p>
      ) : application.clientType === 'confidential' ? (
        <TokenExample baseUrl={baseUrl} clientId={application.clientId} />
      ) : (
        <p>
          This application has no client secret. It uses the authorization code flow with PKCE (method{' '}
          <code>S256</code>). Client libraries configure themselves from the metadata.
        </p>
      )}
    </section>
  );
}
