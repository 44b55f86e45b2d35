import { CopyField } from '../../../platform/pages/copyable.js';
import {
  CsrfField,
  DescriptionItem,
  DescriptionList,
  FieldError,
  Form,
  TextField,
  useDescription,
} from '../../../platform/pages/form-parts.js';
import { settings, singleSignOnPath, testSignInPath } from '../../../platform/pages/paths.js';
import { RevokeGrantsField } from '../../../platform/pages/revocation-choice.js';
import { TimestampOrNever } from '../../../platform/pages/timestamp.js';
import type { AccountDomain } from '../account-domains.js';
import type { ProviderSettings } from '../identity-providers.js';
import { maximumIssuerLength } from '../provider-claims.js';
import { explain, type StoredFailure } from '../provider-errors.js';
import { DomainsSection } from './domains-section.js';
import { ProviderSteps } from './provider-steps.js';

export const settingsPath = settings.singleSignOn;

/** Path of the form that requires single sign-on. */
export const requirePath = `${settingsPath}/only`;

/** Path of the page that removes the identity provider. */
export const removePath = `${settingsPath}/remove`;

/** The fields of the form that are shown again. */
export interface ProviderFields {
  readonly issuer: string;
  readonly clientId: string;
  readonly addressesVerified: boolean;
  /** Whether another issuer also disconnects the applications of users. */
  readonly withGrants: boolean;
}

/** `id` of the button that requires single sign-on. */
export const switchId = 'only';

interface SettingsPageProps {
  readonly accountId: string;
  readonly provider: ProviderSettings | null;
  readonly domains: readonly AccountDomain[];
  readonly baseUrl: string;
  readonly form: ProviderFields;
}

/** Settings → Single sign-on. */
export function SettingsSections(props: SettingsPageProps) {
  const { accountId, provider, domains, baseUrl } = props;
  return (
    <>
      <p>
        Users sign in with the account that they have at your organization, for example with Microsoft Entra
        ID, Okta or Google. That is the identity provider. Set this up together with its administrator, who
        adds this service there with OpenID Connect. At the first sign-in, users are recognized by their
        verified e-mail address.
      </p>
      <ProviderSteps {...{ accountId, baseUrl }} issuer={provider?.issuer ?? ''} />
      <ProviderSection {...props} />
      {provider !== null && (
        <>
          <section>
            <h2>Sign in</h2>
            <p>
              Users sign in at this address, or with “Sign in with single sign-on” and an e-mail address of a
              confirmed domain.
            </p>
            <CopyField
              id="sign_in_address"
              label="Sign-in address"
              value={`${baseUrl}${singleSignOnPath(accountId)}`}
            />
          </section>
          <OutcomeSection provider={provider} testAddress={`${baseUrl}${testSignInPath}`} />
        </>
      )}
      <DomainsSection domains={domains} />
      {provider !== null && <OnlySection provider={provider} />}
      {provider !== null && (
        <section>
          <h2>Remove</h2>
          <p>Users can then sign in with a password only. The next page asks for confirmation.</p>
          <p>
            <a class="button danger" href={removePath}>
              Remove single sign-on
            </a>
          </p>
        </section>
      )}
    </>
  );
}

function ProviderSection({ provider, form }: SettingsPageProps) {
  return (
    <section>
      <h2>Identity provider</h2>
      <Form action={settingsPath} button="Check and save">
        <TextField
          id="issuer"
          label="Issuer"
          hint="The address of the identity provider, such as https://login.example.com. Its administrator knows this and the next two values."
          type="url"
          value={form.issuer}
          autocomplete="off"
          maxLength={maximumIssuerLength}
        />
        <TextField
          id="client_id"
          label="Client ID"
          value={form.clientId}
          autocomplete="off"
          maxLength={maximumIssuerLength}
        />
        <TextField
          id="client_secret"
          label="Client secret"
          hint={
            provider === null
              ? 'It is stored encrypted, and not shown again.'
              : 'A secret is saved. Leave the field empty to keep it. Another issuer needs a new secret.'
          }
          type="password"
          autocomplete="off"
          maxLength={1000}
          required={provider === null}
        />
        <div class="field">
          <label class="choice">
            <input
              type="checkbox"
              id="addresses_verified"
              name="addresses_verified"
              value="yes"
              checked={form.addressesVerified}
              aria-describedby="addresses_verified-hint"
            />
            <span>Addresses of this provider are verified</span>
          </label>
          <p class="hint" id="addresses_verified-hint">
            For an identity provider that does not state whether an address is verified (it sends no{' '}
            <code>email_verified</code>), such as Microsoft Entra ID. Applies to addresses of your confirmed
            domains only, and to user names that are addresses when no address is sent. Choose it only if no
            user except your administrators can set addresses and user names there.
          </p>
        </div>
        {provider !== null && (
          <>
            <p>
              If you change the issuer, the users who signed in with the present one are signed out and are
              linked to the new one at their next sign-in, and passwords are allowed again.
            </p>
            <RevokeGrantsField
              id="issuer-grants"
              checked={form.withGrants}
              label="With another issuer, also disconnect the applications of these users"
            />
          </>
        )}
      </Form>
    </section>
  );
}

/** Helps owners with an identity provider whose response is not accepted. The page of the user does not have the reason. */
function OutcomeSection({ provider, testAddress }: { provider: ProviderSettings; testAddress: string }) {
  const { lastSuccessAt, lastFailure } = provider;
  return (
    <section>
      <h2>Test sign-in</h2>
      <p>
        A test shows what the identity provider sends about a user (the claims), and whether the user could
        sign in. It signs no user in, and changes and stores nothing.
      </p>
      <p>
        <a class="button secondary" href={testSignInPath}>
          Test sign-in
        </a>
      </p>
      <CopyField
        id="test_address"
        label="Address of the test, for owners and administrators who are signed in"
        value={testAddress}
      />
      <DescriptionList>
        <DescriptionItem name="Last successful sign-in">
          <TimestampOrNever at={lastSuccessAt} />
        </DescriptionItem>
        <DescriptionItem name="Last failed sign-in">
          <TimestampOrNever at={lastFailure?.at ?? null} />
        </DescriptionItem>
        {lastFailure !== null && <FailureItems failure={lastFailure} />}
      </DescriptionList>
    </section>
  );
}

function FailureItems({ failure }: { failure: StoredFailure }) {
  const { what, remedy, claim } = explain(failure);
  const { error } = failure;
  return (
    <>
      <DescriptionItem name="Reason">{what}</DescriptionItem>
      {claim !== undefined && (
        <DescriptionItem name="Missing or wrong value">
          <code>{claim}</code>
        </DescriptionItem>
      )}
      {error !== undefined && (
        <DescriptionItem name="Error of the identity provider">
          <code>{error}</code>
        </DescriptionItem>
      )}
      <DescriptionItem name="Remedy">{remedy} The audit log has more.</DescriptionItem>
    </>
  );
}

function OnlySection({ provider }: { provider: ProviderSettings }) {
  const isOn = provider.onlySingleSignOn;
  return (
    <section>
      <h2>Only single sign-on</h2>
      <p>
        {isOn ? (
          <>
            <strong>On.</strong> Administrators and members cannot sign in with a password or a passkey.
            Owners can, with their password and a recovery code. A change of the issuer turns it off.
          </>
        ) : (
          <>
            <strong>Off.</strong> Users can also sign in with a password. If you turn it on, administrators
            and members cannot, and their sessions with a password end. Owners can, with their password and a
            recovery code. Unused links for a new password or e-mail address stop working.
          </>
        )}
      </p>
      <form method="post" action={requirePath}>
        <CsrfField />
        <FieldError field={switchId} />
        {!isOn && (
          <RevokeGrantsField
            id={`${switchId}-grants`}
            label="Also disconnect the applications of all users"
          />
        )}
        <button
          type="submit"
          id={switchId}
          name="only"
          value={isOn ? 'off' : 'on'}
          class="secondary"
          aria-describedby={useDescription(switchId)['aria-describedby']}
        >
          {isOn ? 'Allow passwords again' : 'Require single sign-on'}
        </button>
      </form>
    </section>
  );
}
