import type { Contract } from '../../../platform/contract/contract.js';
import { createBodyValidation } from '../../../platform/contract/validator.js';
import { editPage } from '../../../platform/pages/define-pages.js';
import { isUnchanged } from '../../../platform/pages/fields.js';
import { withFlash } from '../../../platform/pages/flash.js';
import {
  FieldError,
  Form,
  type FormError,
  TextField,
  useDescription,
} from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { accountAddress, settings } from '../../../platform/pages/paths.js';
import { found } from '../../../platform/problems/problem.js';
import {
  type ClaimName,
  checkClaims,
  claimNames,
  type Profile,
  type Profiles,
  type WritableClaims,
} from '../profiles.js';

type FormClaim = Exclude<ClaimName, 'nickname'>;

/** The claims of the form; an empty string is no value. */
type ProfileForm = Readonly<Record<FormClaim, string>>;

const labels: Readonly<Record<FormClaim, string>> = {
  givenName: 'First name',
  familyName: 'Last name',
  locale: 'Language',
  zoneinfo: 'Time zone',
  picture: 'Picture',
  phoneNumber: 'Phone number',
};

/** Error message for an invalid value of each field, in the order of the form. */
const messages: Readonly<Record<FormClaim, string>> = {
  givenName: 'Enter a first name of at most 100 characters, without invisible ones.',
  familyName: 'Enter a last name of at most 100 characters, without invisible ones.',
  locale: 'Enter the tag of a language, such as en or de-CH.',
  zoneinfo: 'Choose a time zone.',
  picture: 'Enter a URL that starts with https:// and has no user name or password.',
  phoneNumber: 'Enter a phone number with its country code, such as +41 44 555 01 23.',
};

const formClaims = Object.keys(messages) as FormClaim[];

/**
 * Creates the validation of the form, which is that of the contract for the same claims. It returns the claims that differ from the
 * stored form, or their errors.
 */
function createProfileValidation({ document }: Contract) {
  const validate = createBodyValidation(() => document.components.schemas.UserUpdateRequest);
  return (
    form: ProfileForm,
    stored: ProfileForm,
  ): { claims: Partial<WritableClaims> } | { errors: FormError[] } => {
    const changed = formClaims.filter((claim) => !isUnchanged(form[claim], stored[claim]));
    if (changed.length === 0) return { claims: {} };
    const values = toClaims(form);
    const body = Object.fromEntries(changed.map((claim) => [claimNames[claim], values[claim]]));
    const paths = new Set(validate(body).map(({ instancePath }) => instancePath));
    // The rules that the schema cannot express are for values of a valid length.
    const wellFormed = changed.filter((claim) => !paths.has(`/${claimNames[claim]}`));
    const checked = checkClaims(Object.fromEntries(wellFormed.map((claim) => [claim, values[claim]])));
    const wrong = 'errors' in checked ? checked.errors.map(({ claim }) => claim) : [];
    const invalid = changed.filter((claim) => !wellFormed.includes(claim) || wrong.includes(claim));
    return 'errors' in checked || invalid.length > 0
      ? { errors: invalid.map((claim) => ({ field: claimNames[claim], message: messages[claim] })) }
      : checked;
  };
}

function toForm(read: (claim: FormClaim) => string): ProfileForm {
  return Object.fromEntries(formClaims.map((claim) => [claim, read(claim)])) as ProfileForm;
}

function toClaims(form: ProfileForm): Pick<WritableClaims, FormClaim> {
  const orNull = (value: string) => (value === '' ? null : value);
  return {
    givenName: form.givenName,
    familyName: form.familyName,
    locale: orNull(form.locale),
    zoneinfo: orNull(form.zoneinfo),
    picture: orNull(form.picture),
    // With the usual separators.
    phoneNumber: orNull(form.phoneNumber.replaceAll(/[\s().\-/]/g, '')),
  };
}

export interface ProfilePagesDependencies {
  readonly profiles: Profiles;
  readonly contract: Contract;
}

/** Form for the name, language, time zone, picture and phone number of the user. */
export function profilePages(site: PageRouter, { profiles, contract }: ProfilePagesDependencies): void {
  const validate = createProfileValidation(contract);
  const load = async ({ user }: PageContext) => found(await profiles.get(user.accountId, user.id));
  const storedForm = (profile: Profile) => toForm((claim) => profile[claim] ?? '');

  editPage<Profile, ProfileForm>(site, accountAddress('profile'), {
    recentPassword: ['no', 'changes only how the user is shown'],
    load,
    toForm: (_, profile) => storedForm(profile),
    read: ({ form }) => toForm((claim) => form.text(claimNames[claim])),
    merged: formClaims.map((claim) => ({ member: claim, label: labels[claim], id: claimNames[claim] })),
    view: (_, { form }) => ({ title: 'Edit profile', body: <ProfileFields form={form} /> }),
    save: async (context, { stored, form }) => {
      const checked = validate(form, storedForm(stored));
      if ('errors' in checked) return checked;
      const saved = found(await profiles.updateFrom(context.auditContext, checked.claims, stored));
      if (saved.kind === 'conflict') return { conflict: saved.profile };
      return { redirect: withFlash(settings.account, 'profile_saved') };
    },
  });
}

function ProfileFields({ form }: { form: ProfileForm }) {
  const field = (claim: FormClaim) => ({ id: claimNames[claim], value: form[claim], label: labels[claim] });
  const optional = (claim: FormClaim) => ({
    ...field(claim),
    label: `${labels[claim]} (optional)`,
    required: false,
  });
  return (
    <Form button="Save changes" cancel={settings.account}>
      <TextField {...field('givenName')} autocomplete="given-name" maxLength={100} />
      <TextField {...field('familyName')} autocomplete="family-name" maxLength={100} />
      <TextField
        {...optional('locale')}
        hint="A language tag such as en, de-CH or pt-BR. Dates are written in this language."
        autocomplete="language"
        maxLength={35}
      />
      <TimeZoneField {...field('zoneinfo')} />
      <TextField
        {...optional('picture')}
        hint="The https URL of a picture, for applications that you authorize."
        type="url"
        autocomplete="photo"
        maxLength={2048}
      />
      <TextField
        {...optional('phoneNumber')}
        hint="With the country code, such as +41 44 555 01 23."
        type="tel"
        autocomplete="tel"
        maxLength={40}
      />
    </Form>
  );
}

const timeZones = Intl.supportedValuesOf('timeZone');

function TimeZoneField({ id, label, value }: { id: string; label: string; value: string }) {
  // The stored name may be an alias of the same time zone. It is kept.
  const zones = value === '' || timeZones.includes(value) ? timeZones : [value, ...timeZones];
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <FieldError field={id} />
      <select id={id} name={id} {...useDescription(id)}>
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
