import { describedBy, ErrorSummary, FieldError, type FormError } from '../../../platform/pages/form-parts.js';
import { CsrfField } from '../../../platform/pages/layout.js';
import { withNotice } from '../../../platform/pages/notices.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { accountAddress, settings } from '../../../platform/pages/paths.js';
import type { Site } from '../../../platform/pages/site.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import { TextField } from '../../../platform/pages/text-field.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import { claimNames, type Profiles } from '../profiles.js';
import {
  type ProfileForm,
  type ProfileValidator,
  readProfileForm,
  storedProfileForm,
} from './profile-form.js';

/** Dependencies of the pages of the user's profile. */
export interface ProfilePagesDependencies {
  readonly profiles: Profiles;
  readonly validateProfile: ProfileValidator;
}

/** Form for the name, language, time zone, picture and phone number of the user. */
export function profilePages(site: Site, { profiles, validateProfile }: ProfilePagesDependencies): void {
  const path = accountAddress('profile');

  const storedForm = async ({ user }: PageContext): Promise<ProfileForm> => {
    const profile = await profiles.get(user.accountId, user.id);
    if (profile === null) throw recordNotFound();
    return storedProfileForm(profile);
  };

  site.get(path, async (context) => ({
    page: <ProfilePage context={context} form={await storedForm(context)} />,
  }));

  site.post(
    path,
    async (context) => {
      const form = readProfileForm(context.form);
      const checked = validateProfile(form, await storedForm(context));
      if (checked.errors !== undefined) {
        return { status: 400, page: <ProfilePage context={context} form={form} errors={checked.errors} /> };
      }
      await profiles.update(context.auditContext, checked.claims);
      return { redirect: withNotice(settings.account, 'profile_saved') };
    },
    {
      restore: async (context) => ({
        page: <ProfilePage context={context} form={readProfileForm(context.form)} />,
      }),
    },
  );
}

function ProfilePage({
  context,
  form,
  errors = [],
}: {
  context: PageContext;
  form: ProfileForm;
  errors?: readonly FormError[];
}) {
  const title = 'Edit profile';
  const messages = new Map(errors.map((error) => [error.field, error.message]));
  const field = (claim: keyof ProfileForm) => ({
    id: claimNames[claim],
    value: form[claim],
    error: messages.get(claimNames[claim]),
  });
  return (
    <SitePage context={context} title={title} hasErrors={errors.length > 0} current="account">
      <h1>{title}</h1>
      <ErrorSummary errors={errors} />
      <form method="post" action={accountAddress('profile')} noValidate class="fields">
        <CsrfField token={context.csrfToken} />
        <TextField {...field('givenName')} label="Given name" autocomplete="given-name" maxLength={100} />
        <TextField {...field('familyName')} label="Family name" autocomplete="family-name" maxLength={100} />
        <TextField
          {...field('locale')}
          label="Language"
          hint="Optional. A language tag such as en, de-CH or pt-BR. Dates are written in this language."
          autocomplete="language"
          maxLength={35}
          required={false}
        />
        <TimeZoneField {...field('zoneinfo')} />
        <TextField
          {...field('picture')}
          label="Picture"
          hint="Optional. The https URL of a picture, for applications that you authorize."
          type="url"
          autocomplete="photo"
          maxLength={2048}
          required={false}
        />
        <TextField
          {...field('phoneNumber')}
          label="Phone number"
          hint="Optional. With the country code, such as +41 44 555 01 23."
          type="tel"
          autocomplete="tel"
          maxLength={40}
          required={false}
        />
        <div class="actions">
          <button type="submit">Save changes</button>
          <a href={settings.account}>Cancel</a>
        </div>
      </form>
    </SitePage>
  );
}

const timeZones = Intl.supportedValuesOf('timeZone');

function TimeZoneField({ id, value, error }: { id: string; value: string; error: string | undefined }) {
  // The stored name may be an alias of the same time zone. It is kept.
  const zones = value === '' || timeZones.includes(value) ? timeZones : [value, ...timeZones];
  return (
    <div class="field">
      <label for={id}>Time zone</label>
      <FieldError field={id} message={error} />
      <select id={id} name={id} {...describedBy(id, { error: error !== undefined })}>
        <option value="">Not set (UTC)</option>
        {zones.map((zone) => (
          <option key={zone} value={zone} selected={zone === value}>
            {zone.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
    </div>
  );
}
