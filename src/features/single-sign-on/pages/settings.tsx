import type { AccountDomains } from '../../../platform/accounts/account-domains.js';
import { ConfirmForm } from '../../../platform/pages/confirm-form.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import { withNotice } from '../../../platform/pages/notices.js';
import type { PageContext, PageHandler } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { settings } from '../../../platform/pages/paths.js';
import { RevokeGrantsField, revocationChoice } from '../../../platform/pages/revocation-choice.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import { Problem } from '../../../platform/problems/problem.js';
import type { IdentityProviders, RequireOutcome } from '../identity-providers.js';
import { type ProviderFields, removePath, requirePath, SettingsPage, switchId } from './settings-page.js';

/** Confirms that the identity provider is removed. */
function RemovePage({ context }: { context: PageContext }) {
  const title = 'Remove single sign-on?';
  return (
    <SitePage context={context} title={title} current="singleSignOn">
      <h1>{title}</h1>
      <div class="warning">
        <p>
          <strong>This takes effect immediately:</strong>
        </p>
        <ul>
          <li>Other users who signed in with single sign-on are signed out.</li>
          <li>Users sign in with a password. Users without one set it under “Forgot your password?”.</li>
          <li>The issuer, the client ID, the client secret and the links of users are deleted.</li>
        </ul>
      </div>
      <ConfirmForm
        context={context}
        action={removePath}
        button="Remove single sign-on"
        cancel={settings.singleSignOn}
      >
        <RevokeGrantsField
          id="remove-grants"
          label="Also disconnect the applications of users who have signed in with single sign-on"
        />
      </ConfirmForm>
    </SitePage>
  );
}

export interface SingleSignOnSettingsDependencies {
  readonly providers: IdentityProviders;
  readonly domains: AccountDomains;
  readonly baseUrl: string;
}

/** Settings → Single sign-on, for owners only, because a user who configures the identity provider can sign in as any user. */
export function singleSignOnSettings(site: PageRouter, dependencies: SingleSignOnSettingsDependencies): void {
  const { providers } = dependencies;

  const show = async (
    context: PageContext,
    { form, errors }: { form?: ProviderFields; errors?: readonly FormError[] } = {},
  ) => ({
    ...(errors !== undefined && { status: 400 }),
    script: true,
    page: await settingsPage(context, dependencies, { form, errors }),
  });

  site.get(
    settings.singleSignOn,
    ownersOnly((context) => show(context)),
  );

  site.post(
    settings.singleSignOn,
    ownersOnly(async (context) => {
      const form = readForm(context);
      const clientSecret = context.form.secret('client_secret').trim();
      const outcome = await providers.save(
        context.auditContext,
        { ...form, clientSecret },
        revocationChoice(context),
      );
      if (outcome.kind === 'forbidden') throw ownersOnlyProblem();
      if (outcome.kind !== 'invalid')
        return { redirect: withNotice(settings.singleSignOn, `single_sign_on_${outcome.kind}`) };
      const { issuer, clientId, clientSecret: secret } = outcome.errors;
      const errors = [
        { field: 'issuer', message: issuer },
        { field: 'client_id', message: clientId },
        { field: 'client_secret', message: secret },
      ].flatMap(({ field, message }) => (message === undefined ? [] : [{ field, message }]));
      return await show(context, { form, errors });
    }),
    { restore: ownersOnly((context) => show(context, { form: readForm(context) })) },
  );

  // The address of a form: a user whose session expired is sent back to it after signing in.
  site.get(requirePath, async () => ({ redirect: settings.singleSignOn }));

  site.post(
    requirePath,
    ownersOnly(async (context) => {
      const required = context.form.text('only') === 'on';
      const { singleSignOn } = context;
      const outcome = await providers.requireSingleSignOn(
        context.auditContext,
        { required, singleSignOn },
        revocationChoice(context),
      );
      if (outcome === 'forbidden') throw ownersOnlyProblem();
      if (outcome !== 'saved')
        return await show(context, { errors: [{ field: switchId, message: requireErrors[outcome] }] });
      const notice = required ? 'single_sign_on_required' : 'single_sign_on_not_required';
      return { redirect: withNotice(settings.singleSignOn, notice) };
    }),
  );

  site.get(
    removePath,
    ownersOnly(async (context) => {
      if ((await providers.get(context.user.accountId)) === null) return { redirect: settings.singleSignOn };
      return { page: <RemovePage context={context} /> };
    }),
  );

  site.post(
    removePath,
    ownersOnly(async (context) => {
      const removed = await providers.remove(context.auditContext, revocationChoice(context));
      if (!removed) return { redirect: settings.singleSignOn };
      return { redirect: withNotice(settings.singleSignOn, 'single_sign_on_removed') };
    }),
  );
}

const requireErrors: Readonly<Record<Exclude<RequireOutcome, 'saved' | 'forbidden'>, string>> = {
  no_provider: 'Save an identity provider first.',
  not_signed_in: 'Sign in at the sign-in address first, so that you know that single sign-on works.',
  no_recovery_codes:
    'Create recovery codes under My account, Second factor, first. Owners need one to sign in when the identity provider fails.',
};

async function settingsPage(
  context: PageContext,
  { providers, domains, baseUrl }: SingleSignOnSettingsDependencies,
  { form, errors }: { form?: ProviderFields | undefined; errors?: readonly FormError[] | undefined },
) {
  const { accountId } = context.user;
  const [provider, lastFailure, confirmed] = await Promise.all([
    providers.get(accountId),
    providers.lastFailure(accountId),
    domains.list(accountId),
  ]);
  const { issuer = '', clientId = '', addressesVerified = false } = provider ?? {};
  const stored = { issuer, clientId, addressesVerified, withGrants: false };
  return (
    <SettingsPage
      {...{ context, provider, lastFailure, baseUrl }}
      domains={confirmed}
      form={form ?? stored}
      errors={errors ?? []}
    />
  );
}

function readForm(context: PageContext): ProviderFields {
  const { form } = context;
  const { withGrants } = revocationChoice(context);
  return {
    issuer: form.text('issuer'),
    clientId: form.text('client_id'),
    addressesVerified: form.text('addresses_verified') === 'yes',
    withGrants,
  };
}

function ownersOnly(handle: PageHandler): PageHandler {
  return async (context) => {
    if (context.user.role !== 'owner') throw ownersOnlyProblem();
    return await handle(context);
  };
}

function ownersOnlyProblem(): Problem {
  return new Problem('access_denied', 'Only owners of the account can see this page.');
}
