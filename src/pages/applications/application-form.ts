import {
  type ApplicationSettings,
  maximumRedirectUris,
  type SettingsFaults,
} from '../../services/applications/application-settings.js';
import type { ClientType } from '../../services/applications/client-registry.js';
import type { Fields } from '../fields.js';
import type { FormFault } from '../form-parts.js';

/** The form of an application as somebody filled it in, right or wrong. */
export interface ApplicationForm extends ApplicationSettings {
  /** Empty when none was chosen. */
  readonly clientType: ClientType | '';
}

/** The form of an application that does not exist yet. */
export const emptyForm: ApplicationForm = {
  name: '',
  redirectUris: [],
  scopes: [],
  clientType: 'confidential',
  requireClientSecret: true,
};

/** `id` of each field, which its label and the error summary refer to. */
export const fieldIds = {
  name: 'name',
  clientType: 'client_type_confidential',
  redirectUri: (index: number) => `redirect_uri_${index + 1}`,
  requireClientSecret: 'require_client_secret',
  scope: (scope: string) => `scope_${scope.replace(':', '_')}`,
} as const;

/** Reads the fields that a person fills in; whatever else was sent is not looked at. */
export function readApplicationForm(form: Fields): ApplicationForm {
  const clientType = form.text('client_type');
  const redirectUris = form
    .list('redirect_uris')
    .flatMap((lines) => lines.split(/[\r\n]+/))
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return {
    name: form.text('name'),
    // One too many is enough to say that there are too many.
    redirectUris: redirectUris.slice(0, maximumRedirectUris + 1),
    scopes: [...new Set(form.list('scopes'))],
    requireClientSecret: form.text('require_client_secret') !== '',
    clientType: clientType === 'confidential' || clientType === 'public' ? clientType : '',
  };
}

/** Whether the form was sent only to get more lines for redirect URIs. */
export function requestsLines(form: Fields): boolean {
  return form.text('action') === 'more_lines';
}

/** What is wrong with a form, in the order of its fields. */
export function formFaults(
  faults: SettingsFaults | null,
  { clientType, firstScope }: { clientType: ClientType | ''; firstScope: string },
): FormFault[] {
  const { name, redirectUris = new Map<number, string>(), scopes } = faults ?? {};
  return [
    ...(name === undefined ? [] : [{ field: fieldIds.name, words: name }]),
    ...(clientType === '' ? [{ field: fieldIds.clientType, words: 'Choose a client type.' }] : []),
    ...[...redirectUris].map(([index, words]) => ({ field: fieldIds.redirectUri(index), words })),
    ...(scopes === undefined ? [] : [{ field: fieldIds.scope(firstScope), words: scopes }]),
  ];
}
