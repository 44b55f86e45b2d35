import { requiresSecondFactor } from '../../../platform/accounts/sign-in-stage.js';
import { ButtonForm } from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { ownSecondFactorPath } from '../../../platform/pages/paths.js';
import { Timestamp, TimestampOrNever } from '../../../platform/pages/timestamp.js';
import type { PasskeySummary } from '../passkeys.js';
import type { SecondFactorOverview } from '../second-factors.js';
import { addressWithReturn, returnAddress } from './after-change.js';
import type { OwnSecondFactorDependencies } from './second-factor-pages.js';

/** Settings → My account → Second factor. */
export function secondFactorOverviewPage(
  site: PageRouter,
  { secondFactors, passkeys, baseUrl }: OwnSecondFactorDependencies,
): void {
  site.get(ownSecondFactorPath, async (context) => {
    const [overview, keys] = await Promise.all([
      secondFactors.overview(context.user),
      passkeys.list(context.user),
    ]);
    const returnTo = returnAddress(context, baseUrl);
    return { title: 'Second factor', body: <Overview {...{ context, overview, keys, returnTo }} /> };
  });
}

interface Props {
  readonly context: PageContext;
  readonly overview: SecondFactorOverview;
  readonly keys: readonly PasskeySummary[];
  readonly returnTo: string;
}

function Overview(props: Props) {
  const { context, overview, keys } = props;
  const { user } = context;
  const none = overview.appAddedAt === null && keys.length === 0;
  return (
    <>
      <p>
        {context.stage === 'enrolment'
          ? `${user.accountName} requires a second factor. Set one up to continue.`
          : 'With a second factor your password alone is not enough to sign in.'}
        {context.stage !== 'enrolment' &&
          requiresSecondFactor(user.secondFactorPolicy, user.role) &&
          ' Your account requires one.'}
      </p>
      <AppSection {...props} />
      <PasskeySection {...props} />
      {(!none || user.role === 'owner') && <RecoverySection {...props} />}
    </>
  );
}

function AppSection({ overview: { appAddedAt }, returnTo }: Props) {
  const address = `${ownSecondFactorPath}/app`;
  return (
    <section>
      <h2>Authenticator app</h2>
      {appAddedAt === null ? (
        <>
          <p>An app on your phone, or a password manager, that shows a new code every 30 seconds.</p>
          <p>
            <a class="button" href={addressWithReturn(address, returnTo)}>
              Set up an authenticator app
            </a>
          </p>
        </>
      ) : (
        <>
          <p>
            Set up on <Timestamp at={appAddedAt} />.
          </p>
          <div class="actions">
            <a class="button secondary" href={address}>
              Replace
            </a>
            <RemoveForm action={`${address}/remove`} label="the authenticator app" />
          </div>
        </>
      )}
    </section>
  );
}

function PasskeySection({ keys, returnTo }: Props) {
  const address = `${ownSecondFactorPath}/passkeys`;
  return (
    <section>
      <h2>Passkeys</h2>
      <p>
        Your fingerprint, face or PIN, on a phone, computer or security key. You can also sign in with it
        alone.
      </p>
      {keys.length > 0 && (
        <ul class="rows">
          {keys.map(({ id, name, createdAt, lastUsedAt }) => (
            <li key={id}>
              <p>
                <strong>{name}</strong>{' '}
                <span class="hint">
                  Added on <Timestamp at={createdAt} />. Last used: <TimestampOrNever at={lastUsedAt} />
                </span>
              </p>
              <RemoveForm action={`${address}/${id}/remove`} label={`the passkey ${name}`} />
            </li>
          ))}
        </ul>
      )}
      <p>
        <a
          class={keys.length > 0 ? 'button secondary' : 'button'}
          href={addressWithReturn(address, returnTo)}
        >
          Add a passkey
        </a>
      </p>
    </section>
  );
}

function RecoverySection({ overview: { unusedRecoveryCodes } }: Props) {
  return (
    <section>
      <h2>Recovery codes</h2>
      <p>
        {unusedRecoveryCodes === 0
          ? 'You have no unused recovery codes.'
          : `You have ${unusedRecoveryCodes} unused recovery ${unusedRecoveryCodes === 1 ? 'code' : 'codes'}.`}{' '}
        Each can be used once, when you do not have your second factor. New codes replace the earlier ones.
      </p>
      <ButtonForm action={`${ownSecondFactorPath}/recovery_codes`}>Create new recovery codes</ButtonForm>
    </section>
  );
}

function RemoveForm({ action, label }: { action: string; label: string }) {
  return (
    <ButtonForm action={action} className="quiet">
      Remove<span class="unseen"> {label}</span>
    </ButtonForm>
  );
}
