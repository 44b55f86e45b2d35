import type { ComponentChildren } from 'preact';
import { parseUrl } from '../../../platform/contract/outside-text.js';
import { CopyField } from '../../../platform/pages/copyable.js';
import { callbackPath } from '../../../platform/pages/paths.js';
import { requestedScopes } from '../provider-client.js';

/** How an owner registers this service at an identity provider. */
interface Guide {
  readonly id: string;
  readonly name: string;
  /** The host of its issuers; absent: any other. */
  readonly host?: RegExp;
  /** The form of its issuers, with the parts to replace in braces. */
  readonly issuer: string;
  readonly steps: readonly ComponentChildren[];
}

const guides: readonly Guide[] = [
  {
    id: 'okta',
    name: 'Okta',
    host: /\.okta(preview|-emea)?\.com$/,
    issuer: 'https://{organization}.okta.com',
    steps: [
      'In the Admin Console, choose Applications, Create App Integration, then “OIDC – OpenID Connect” and “Web Application”.',
      'Choose the grant type “Authorization Code”. Enter the redirect URI under “Sign-in redirect URIs”.',
      'Under “Assignments”, choose who can sign in, and save.',
      'Copy the client ID and the client secret from the tab “General”. The issuer is the address of your organization without “-admin”.',
    ],
  },
  {
    id: 'entra',
    name: 'Microsoft Entra ID',
    host: /^login\.microsoftonline\.(com|us)$/,
    issuer: 'https://login.microsoftonline.com/{tenant-id}/v2.0',
    steps: [
      'In the Entra admin center, choose App registrations, New registration. Choose the accounts of your own directory only, the platform “Web”, and enter the redirect URI.',
      'Copy the “Application (client) ID” as the client ID. The “Directory (tenant) ID” is a part of the issuer.',
      'Under “Certificates & secrets”, add a client secret. Copy its value, not its ID.',
      <>
        Under “Token configuration”, add the optional claims <code>email</code> and <code>auth_time</code> to
        the ID token.
      </>,
      <>
        Entra sends no <code>email_verified</code>: choose “Addresses of this provider are verified” below,
        and confirm your domain.
      </>,
    ],
  },
  {
    id: 'google',
    name: 'Google',
    host: /^accounts\.google\.com$/,
    issuer: 'https://accounts.google.com',
    steps: [
      'In the Google Cloud console, choose Google Auth Platform. Set its audience to “Internal”, so that only people of your organization can sign in.',
      'Under “Clients”, create a client of the type “Web application”. Enter the redirect URI under “Authorized redirect URIs”.',
      'Copy the client ID and the client secret.',
      'Google does not send the time of a sign-in. When a form asks you to sign in again, sign out and in instead.',
    ],
  },
  {
    id: 'other',
    name: 'Another identity provider',
    issuer: 'https://{host}',
    steps: [
      'Register a web application (a confidential client) with the grant type “authorization code” and the redirect URI. Allow the scopes.',
      <>
        Let it send <code>email</code> and <code>email_verified</code>, in the ID token or at the UserInfo
        endpoint, and <code>auth_time</code> in the ID token.
      </>,
      <>
        It must accept the client secret with <code>client_secret_basic</code> or{' '}
        <code>client_secret_post</code>, and sign ID tokens with a key pair, such as RS256 or ES256.
      </>,
      <>
        The issuer is the URL before <code>/.well-known/openid-configuration</code>.
      </>,
    ],
  },
];

/** The values that an identity provider needs, and the steps at the widely used ones. */
export function ProviderSteps({
  accountId,
  baseUrl,
  issuer,
}: {
  accountId: string;
  baseUrl: string;
  /** The saved issuer, whose steps are open; empty without one. */
  issuer: string;
}) {
  const current = guideOf(issuer);
  return (
    <section>
      <h2>Register this service</h2>
      <p>Your identity provider needs these values. Its steps are below.</p>
      <CopyField id="redirect_uri" label="Redirect URI" value={`${baseUrl}${callbackPath(accountId)}`} />
      <CopyField id="scopes" label="Scopes" value={requestedScopes} />
      <p id="copied" role="status" class="hint" />
      {guides.map(({ id, name, issuer: form, steps }) => (
        <details key={id} class="steps" name="provider" open={id === current?.id}>
          <summary>{name}</summary>
          <ol>
            {steps.map((step, index) => (
              <li key={index}>{step}</li>
            ))}
          </ol>
          <CopyField
            id={`${id}_issuer`}
            label={`Issuer: ${name}${form.includes('{') ? ' (replace the part in braces)' : ''}`}
            value={form}
          />
        </details>
      ))}
    </section>
  );
}

function guideOf(issuer: string): Guide | undefined {
  const hostname = parseUrl(issuer)?.hostname;
  if (hostname === undefined) return undefined;
  return guides.find(({ host }) => host === undefined || host.test(hostname));
}
