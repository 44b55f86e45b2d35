import { requiresSecondFactor } from '../../../platform/accounts/user.js';
import { counted } from '../../../platform/counted.js';
import { actionForm } from '../../../platform/pages/define-pages.js';
import { ButtonForm } from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { ownSecondFactorPath } from '../../../platform/pages/paths.js';
import { Timestamp, TimestampOrNever } from '../../../platform/pages/timestamp.js';
import type { PasskeySummary } from '../passkeys.js';
import { appPages } from './app.js';
import {
  type OwnSecondFactorDependencies,
  pathWithReturn,
  recoveryCodesPage,
  returnPath,
} from './own-second-factor-pages.js';
import { passkeyPages } from './passkeys.js';

/** Settings → My account → Second factor, also for users who have to set one up before their sign-in is complete. */
export function ownSecondFactorPages(site: PageRouter, dependencies: OwnSecondFactorDependencies): void {
  const { apps, passkeys, recoveryCodes, baseUrl } = dependencies;
  const enrolment = site.forEnrolment();
  enrolment.get(ownSecondFactorPath, async (context) => {
    const { user } = context;
    const [appAddedAt, unusedRecoveryCodes, keys] = await Promise.all([
      apps.addedAt(user),
      recoveryCodes.countUnused(user),
      passkeys.list(user),
    ]);
    const returnTo = returnPath(context, baseUrl);
    const props = { context, appAddedAt, unusedRecoveryCodes, keys, returnTo };
    return { title: 'Second factor', body: <Overview {...props} /> };
  });
  appPages(enrolment, dependencies);
  passkeyPages(enrolment, dependencies);
  actionForm(site, `${ownSecondFactorPath}/recovery_codes`, {
    recentPassword: ['form', 'replaces the recovery codes'],
    back: () => ownSecondFactorPath,
    save: async (context) => {
      const codes = await recoveryCodes.create(context.auditContext);
      return recoveryCodesPage(context, codes, { title: 'New recovery codes', next: ownSecondFactorPath });
    },
  });
}

interface Props {
  readonly context: PageContext;
  /** When the authenticator app was added; `null` when there is none. */
  readonly appAddedAt: Date | null;
  readonly unusedRecoveryCodes: number;
  readonly keys: readonly PasskeySummary[];
  readonly returnTo: string;
}

function Overview(props: Props) {
  const { context, appAddedAt, keys } = props;
  const { user } = context;
  const none = appAddedAt === null && keys.length === 0;
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

function AppSection({ appAddedAt, returnTo }: Props) {
  const path = `${ownSecondFactorPath}/app`;
  return (
    <section>
      <h2>Authenticator app</h2>
      {appAddedAt === null ? (
        <>
          <p>An app on your phone, or a password manager, that shows a new code every 30 seconds.</p>
          <p>
            <a class="button" href={pathWithReturn(path, returnTo)}>
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
            <a class="button secondary" href={path}>
              Replace
            </a>
            <RemoveLink href={`${path}/remove`} label="the authenticator app" />
          </div>
        </>
      )}
    </section>
  );
}

function PasskeySection({ keys, returnTo }: Props) {
  const path = `${ownSecondFactorPath}/passkeys`;
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
              <RemoveLink href={`${path}/${id}/remove`} label={`the passkey ${name}`} />
            </li>
          ))}
        </ul>
      )}
      <p>
        <a class={keys.length > 0 ? 'button secondary' : 'button'} href={pathWithReturn(path, returnTo)}>
          Add a passkey
        </a>
      </p>
    </section>
  );
}

function RecoverySection({ unusedRecoveryCodes }: Props) {
  return (
    <section>
      <h2>Recovery codes</h2>
      <p>
        {unusedRecoveryCodes === 0
          ? 'You have no unused recovery codes.'
          : `You have ${counted(unusedRecoveryCodes, 'unused recovery code')}.`}{' '}
        Each can be used once, when you do not have your second factor. New codes replace the earlier ones.
      </p>
      <ButtonForm action={`${ownSecondFactorPath}/recovery_codes`}>Create new recovery codes</ButtonForm>
    </section>
  );
}

function RemoveLink({ href, label }: { href: string; label: string }) {
  return (
    <a class="button secondary" href={href}>
      Remove<span class="unseen"> {label}</span>
    </a>
  );
}
