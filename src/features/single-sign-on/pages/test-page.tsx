import { type User, userName } from '../../../platform/accounts/user.js';
import { DescriptionItem, DescriptionList } from '../../../platform/pages/form-parts.js';
import { Layout } from '../../../platform/pages/layout.js';
import { homePath, testSignInPath } from '../../../platform/pages/paths.js';
import type { ProviderFindings } from '../provider-errors.js';
import type { FailedTest, SignInTest } from '../trial-sign-in.js';
import { settingsPath } from './settings-page.js';

/**
 * The result of a test, for the owner or administrator who started it.
 *
 * @param user who sees the page
 */
export function TestPage({ test: { claims, result }, user }: { test: SignInTest; user: User }) {
  const isOwner = user.role === 'owner';
  return (
    <Layout title="Test of single sign-on">
      <h1>Test of single sign-on</h1>
      <section>
        <h2>{result.kind === 'failed' ? 'The sign-in would fail' : 'The sign-in would work'}</h2>
        {result.kind === 'failed' ? <Failure failure={result} /> : <Consequence result={result} />}
        <p>Nothing was changed or stored, and no user was signed in.</p>
        <p class="actions">
          <a class="button" href={isOwner ? settingsPath : homePath}>
            {isOwner ? 'Back to Single sign-on' : 'Back to People'}
          </a>
          <a href={testSignInPath}>Test again</a>
        </p>
      </section>
      {claims.length > 0 && (
        <section>
          <h2>Claims received</h2>
          <DescriptionList>
            {claims.map(([name, value]) => (
              <DescriptionItem key={name} name={name}>
                <bdi>{value}</bdi>
              </DescriptionItem>
            ))}
          </DescriptionList>
        </section>
      )}
    </Layout>
  );
}

function Consequence({ result }: { result: Exclude<SignInTest['result'], FailedTest> }) {
  switch (result.kind) {
    case 'known':
      return (
        <p>
          <Person {...result.user} /> would be signed in. The user is linked with this identity.
        </p>
      );
    case 'linked':
      return (
        <p>
          <Person {...result.user} /> would be signed in and linked with this identity, because the user has
          the verified address.
        </p>
      );
    case 'created':
      return (
        <p>
          <Person {...result} /> would become a member, because the domain <strong>{result.domain}</strong> is
          confirmed for this account.
        </p>
      );
  }
}

function Person(user: Pick<User, 'givenName' | 'familyName' | 'email'>) {
  return (
    <strong>
      <bdi>{userName(user)}</bdi> ({user.email})
    </strong>
  );
}

const findingLabels: Readonly<Record<keyof ProviderFindings, string>> = {
  claim: 'Claim',
  issuer_found: 'Issuer found',
  error: 'Error of the identity provider',
  offered: 'Offered',
};

function Failure({ failure: { what, remedy, findings } }: { failure: FailedTest }) {
  return (
    <>
      <p>
        {what} {remedy}
      </p>
      <DescriptionList>
        {Object.entries(findingLabels).map(([key, label]) => {
          const value = findings[key as keyof ProviderFindings];
          return (
            value !== undefined && (
              <DescriptionItem key={key} name={label}>
                <bdi>{value}</bdi>
              </DescriptionItem>
            )
          );
        })}
      </DescriptionList>
    </>
  );
}
