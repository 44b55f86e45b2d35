import type { Contract } from '../../../platform/contract/contract.js';
import { createBodyValidation } from '../../../platform/contract/validator.js';
import { type Fields, isUnchanged } from '../../../platform/pages/fields.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import { type ClaimName, checkClaims, type WritableClaims } from '../claim-rules.js';
import { claimNames, type Profile } from '../profiles.js';

/** The claims of the form; an empty string is no value. */
export type ProfileForm = Readonly<Record<FormClaim, string>>;

export const formClaims = [
  'givenName',
  'familyName',
  'locale',
  'zoneinfo',
  'picture',
  'phoneNumber',
] as const satisfies ClaimName[];

type FormClaim = (typeof formClaims)[number];

/** Error message for an invalid value of each field, in the order of the form. */
const messages: Readonly<Record<FormClaim, string>> = {
  givenName: 'Enter a given name of at most 100 characters, without invisible ones.',
  familyName: 'Enter a family name of at most 100 characters, without invisible ones.',
  locale: 'Enter the tag of a language, such as en or de-CH.',
  zoneinfo: 'Choose a time zone.',
  picture: 'Enter a URL that starts with https:// and has no user name or password.',
  phoneNumber: 'Enter a phone number with its country code, such as +41 44 555 01 23.',
};

/** Returns the claims of a form that differ from the stored form, or their errors. */
export type ProfileValidator = (
  form: ProfileForm,
  stored: ProfileForm,
) =>
  | { readonly claims: Partial<WritableClaims>; readonly errors?: never }
  | { readonly errors: readonly FormError[] };

/** Validates the form as the contract does for the same claims. */
export function createProfileValidator({ document }: Contract): ProfileValidator {
  const validate = createBodyValidation(() => document.components.schemas.UserUpdateRequest);
  return (form, stored) => {
    const changed = formClaims.filter((claim) => !isUnchanged(form[claim], stored[claim]));
    if (changed.length === 0) return { claims: {} };
    const all = toClaims(form);
    const claims = Object.fromEntries(changed.map((claim) => [claim, all[claim]]));
    const body = Object.fromEntries(changed.map((claim) => [claimNames[claim], all[claim]]));
    const paths = new Set(validate(body).map(({ instancePath }) => instancePath));
    // The rules that the schema cannot express are for values of a valid length.
    const wellFormed = changed.filter((claim) => !paths.has(`/${claimNames[claim]}`));
    const checked = checkClaims(Object.fromEntries(wellFormed.map((claim) => [claim, claims[claim]])));
    const wrong = new Set('errors' in checked ? checked.errors.map(({ claim }) => claim) : []);
    const invalid = changed.filter((claim) => paths.has(`/${claimNames[claim]}`) || wrong.has(claim));
    if ('errors' in checked || invalid.length > 0) {
      return { errors: invalid.map((claim) => ({ field: claimNames[claim], message: messages[claim] })) };
    }
    return { claims: checked.claims };
  };
}

/** Reads the fields of the form. */
export function readProfileForm(form: Fields): ProfileForm {
  return toForm((claim) => form.text(claimNames[claim]));
}

/** The form with the stored values. */
export function storedProfileForm(profile: Profile): ProfileForm {
  return toForm((claim) => profile[claim] ?? '');
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
