import type { ApplicationSettings, SettingsErrors } from '../../../oauth/clients/application-settings.js';
import type { ClientType } from '../../../oauth/clients/client-registry.js';
import type { Fields } from '../../../platform/pages/fields.js';
import type { FormError } from '../../../platform/pages/form-parts.js';

/** The submitted form of an application, valid or not. */
export interface ApplicationForm extends ApplicationSettings {
  /** Empty when none was selected. */
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
  redirectUris: 'redirect_uris',
  requireClientSecret: 'require_client_secret',
  scope: (scope: string) => `scope_${scope.replace(':', '_')}`,
} as const;

/** Reads the fields of the form and ignores all others. */
export function readApplicationForm(form: Fields): ApplicationForm {
  const clientType = form.text('client_type');
  return {
    name: form.text('name'),
    redirectUris: form.list('redirect_uris').flatMap(linesOf),
    scopes: [...new Set(form.list('scopes'))],
    requireClientSecret: form.text('require_client_secret') !== '',
    clientType: clientType === 'confidential' || clientType === 'public' ? clientType : '',
  };
}

/** The lines of a text that are not blank. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  return lines.filter((line) => line !== '');
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
    ...[...redirectUris].map(([line, message]) => {
      return { field: fieldIds.redirectUris, message: line === 0 ? message : `Line ${line}: ${message}` };
    }),
    ...(scopes === undefined ? [] : [{ field: fieldIds.scope(firstScope), message: scopes }]),
  ];
}
