import {
  type ApplicationSettings,
  maximumRedirectUris,
  type SettingsErrors,
} from '../../services/applications/application-settings.js';
import type { ClientType } from '../../services/applications/client-registry.js';
import type { Fields } from '../fields.js';
import type { FormError } from '../form-parts.js';

/** The submitted form of an application, valid or not. */
export interface ApplicationForm extends ApplicationSettings {
  /** Empty when none was chosen. */
  readonly clientType: ClientType | '';
}

/** Initial values of the form for a new application. */
export const emptyForm: ApplicationForm = {
  name: '',
  redirectUris: [],
  scopes: [],
  clientType: 'confidential',
  requireClientSecret: true,
};

/** `id` of each field. Its label and the error summary refer to it. */
export const fieldIds = {
  name: 'name',
  clientType: 'client_type_confidential',
  redirectUri: (index: number) => `redirect_uri_${index + 1}`,
  requireClientSecret: 'require_client_secret',
  scope: (scope: string) => `scope_${scope.replace(':', '_')}`,
} as const;

/** Reads the fields of the form and ignores all others. */
export function readApplicationForm(form: Fields): ApplicationForm {
  const clientType = form.text('client_type');
  const redirectUris = form.list('redirect_uris').filter((uri) => uri !== '');
  return {
    name: form.text('name'),
    // One more than the maximum is enough to report the error.
    redirectUris: redirectUris.slice(0, maximumRedirectUris + 1),
    scopes: [...new Set(form.list('scopes'))],
    requireClientSecret: form.text('require_client_secret') !== '',
    clientType: clientType === 'confidential' || clientType === 'public' ? clientType : '',
  };
}

/** Number of redirect URI fields to show after "Add another URI"; `undefined` when another button was used. */
export function requestedUriFields(form: Fields): number | undefined {
  const count = form.text('redirect_uri_fields');
  return /^\d{1,3}$/.test(count) ? Math.min(Number(count), maximumRedirectUris) : undefined;
}

/** Errors of a form, in the order of its fields. */
export function formErrors(
  errors: SettingsErrors | null,
  { clientType, firstScope }: { clientType: ClientType | ''; firstScope: string },
): FormError[] {
  const { name, redirectUris = new Map<number, string>(), scopes } = errors ?? {};
  return [
    ...(name === undefined ? [] : [{ field: fieldIds.name, message: name }]),
    ...(clientType === '' ? [{ field: fieldIds.clientType, message: 'Choose a client type.' }] : []),
    ...[...redirectUris].map(([index, message]) => ({ field: fieldIds.redirectUri(index), message })),
    ...(scopes === undefined ? [] : [{ field: fieldIds.scope(firstScope), message: scopes }]),
  ];
}
