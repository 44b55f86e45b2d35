import { forbidden } from '../../../platform/pages/audience.js';
import {
  actionForm,
  confirmPage,
  formPage,
  ImmediateEffects,
  rejected,
  type SettingsPage,
} from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageContext, PageView } from '../../../platform/pages/page-context.js';
import { RevokeGrantsField, revocationChoice } from '../../../platform/pages/revocation-choice.js';
import type { RequireOutcome } from '../identity-providers.js';
import type { SingleSignOnServices } from '../index.js';
import { domainPages } from './domains.js';
import {
  type ProviderFields,
  removePath,
  requirePath,
  SettingsSections,
  settingsPath,
  switchId,
} from './settings-page.js';

type SingleSignOnSettingsDependencies = SingleSignOnServices & { readonly baseUrl: string };

/** Settings → Single sign-on, for owners only, because a user who configures the identity provider can sign in as any user. */
export const singleSignOnSettings: SettingsPage<SingleSignOnSettingsDependencies> = {
  title: 'Single sign-on',
  path: settingsPath,
  audience: 'owners',
  register(site, dependencies) {
    const { providers } = dependencies;

    formPage<ProviderFields | undefined>(site, settingsPath, {
      recentPassword: ['form', 'changes who can sign in'],
      initial: () => undefined,
      read: readForm,
      view: (context, form) => settingsPage(context, dependencies, form),
      save: async (context) => {
        const clientSecret = context.form.secret('client_secret').trim();
        const form = { ...readForm(context), clientSecret };
        const outcome = await providers.save(context.auditContext, form, revocationChoice(context));
        if (outcome.kind === 'forbidden') throw forbidden('owners');
        if (outcome.kind !== 'invalid')
          return { redirect: withFlash(settingsPath, `single_sign_on_${outcome.kind}`) };
        const { issuer, clientId, clientSecret: secret } = outcome.errors;
        const errors = [
          { field: 'issuer', message: issuer },
          { field: 'client_id', message: clientId },
          { field: 'client_secret', message: secret },
        ].flatMap(({ field, message }) => (message === undefined ? [] : [{ field, message }]));
        return { errors };
      },
    });

    actionForm(site, requirePath, {
      recentPassword: ['form', 'changes who can sign in'],
      back: () => settingsPath,
      save: async (context) => {
        const { auditContext, singleSignOn, form } = context;
        const required = form.text('only') === 'on';
        const setting = { required, singleSignOn };
        const outcome = await providers.requireSingleSignOn(auditContext, setting, revocationChoice(context));
        if (outcome === 'forbidden') throw forbidden('owners');
        if (outcome !== 'saved') {
          const page = await settingsPage(context, dependencies);
          return { ...page, ...rejected(switchId, requireErrors[outcome]) };
        }
        const flash = required ? 'single_sign_on_required' : 'single_sign_on_not_required';
        return { redirect: withFlash(settingsPath, flash) };
      },
    });

    domainPages(site, dependencies);

    confirmPage(site, removePath, {
      reason: 'changes who can sign in',
      view: async (context) => {
        if ((await providers.get(context.user.accountId)) === null) return { redirect: settingsPath };
        return removeView;
      },
      save: async (context) => {
        const removed = await providers.remove(context.auditContext, revocationChoice(context));
        if (!removed) return { redirect: settingsPath };
        return { redirect: withFlash(settingsPath, 'single_sign_on_removed') };
      },
    });
  },
};

/** Confirms that the identity provider is removed. */
const removeView = {
  title: 'Remove single sign-on?',
  button: 'Remove single sign-on',
  cancel: settingsPath,
  body: (
    <div class="warning">
      <ImmediateEffects />
      <ul>
        <li>Other users who signed in with single sign-on are signed out.</li>
        <li>
          Users sign in with a password. Users without a password set one under “Forgot your password?”.
        </li>
        <li>The issuer, the client ID, the client secret and the links of users are deleted.</li>
      </ul>
    </div>
  ),
  fields: (
    <RevokeGrantsField
      id="remove-grants"
      label="Also disconnect the applications of users who have signed in with single sign-on"
    />
  ),
};

const requireErrors: Readonly<Record<Exclude<RequireOutcome, 'saved' | 'forbidden'>, string>> = {
  no_provider: 'Save an identity provider first.',
  not_signed_in: 'Sign in at the sign-in address first, so that you know that single sign-on works.',
  no_recovery_codes:
    'Create recovery codes under My account, Second factor, first. Owners need one to sign in when the identity provider fails.',
};

async function settingsPage(
  context: PageContext,
  { providers, domains, baseUrl }: SingleSignOnSettingsDependencies,
  form?: ProviderFields,
): Promise<PageView> {
  const { accountId } = context.user;
  const [provider, confirmed] = await Promise.all([providers.get(accountId), domains.list(accountId)]);
  const { issuer = '', clientId = '', addressesVerified = false } = provider ?? {};
  return {
    title: 'Single sign-on',
    script: 'copy.js',
    body: (
      <SettingsSections
        {...{ accountId, provider, baseUrl }}
        domains={confirmed}
        form={form ?? { issuer, clientId, addressesVerified, withGrants: false }}
      />
    ),
  };
}

function readForm(context: PageContext): ProviderFields {
  const { form } = context;
  return {
    issuer: form.text('issuer'),
    clientId: form.text('client_id'),
    addressesVerified: form.text('addresses_verified') === 'yes',
    withGrants: revocationChoice(context).withGrants,
  };
}
