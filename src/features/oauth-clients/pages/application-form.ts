import {
  type ApplicationSettings,
  formatBoolean,
  type SettingsErrors,
} from '../../../oauth/clients/application-settings.js';
import type { ClientType } from '../../../oauth/clients/client-registry.js';
import { isForDevelopment } from '../../../oauth/clients/redirect-uris.js';
import type { Fields } from '../../../platform/pages/fields.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import type { MergedField } from '../../../platform/pages/merge.js';

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
  requireProofOfPossession: false,
  requirePushedRequests: false,
  backchannelLogoutUri: null,
  inDevelopment: false,
};

/** `id` of each field. Its label and the error summary refer to it. */
export const fieldIds = {
  name: 'name',
  clientType: 'client_type_confidential',
  redirectUris: 'redirect_uris',
  requireClientSecret: 'require_client_secret',
  requireProofOfPossession: 'require_proof_of_possession',
  requirePushedRequests: 'require_pushed_requests',
  backchannelLogoutUri: 'backchannel_logout_uri',
  inDevelopment: 'in_development',
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
    requireProofOfPossession: form.text('require_proof_of_possession') !== '',
    requirePushedRequests: form.text('require_pushed_requests') !== '',
    backchannelLogoutUri: form.text('backchannel_logout_uri').trim() || null,
    inDevelopment: form.text('in_development') !== '',
    clientType: clientType === 'confidential' || clientType === 'public' ? clientType : '',
  };
}

/** Reads the form of a new application. With a redirect URI on `http://localhost`, it is in development without the checkbox. */
export function readNewApplication(form: Fields): ApplicationForm {
  const values = readApplicationForm(form);
  return { ...values, inDevelopment: values.inDevelopment || values.redirectUris.some(isForDevelopment) };
}

/** The lines of a text that are not blank. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  return lines.filter((line) => line !== '');
}

/** The fields of an application that several users can change. */
export function mergedFields(knownScopes: readonly string[]): readonly MergedField<ApplicationForm>[] {
  return [
    { member: 'name', label: 'Name' },
    {
      member: 'inDevelopment',
      label: 'In development',
      id: fieldIds.inDevelopment,
      show: ({ inDevelopment }) => formatBoolean(inDevelopment),
    },
    {
      member: 'redirectUris',
      label: 'Redirect URIs',
      id: fieldIds.redirectUris,
      show: ({ redirectUris }) => redirectUris.join(' '),
    },
    {
      member: 'scopes',
      label: 'Scopes',
      id: fieldIds.scope(knownScopes[0] ?? ''),
      show: ({ scopes }) => scopes.join(' '),
    },
    {
      member: 'requireClientSecret',
      label: 'Secret required',
      id: fieldIds.requireClientSecret,
      show: ({ requireClientSecret }) => formatBoolean(requireClientSecret),
    },
    {
      member: 'requireProofOfPossession',
      label: 'Proof of possession required',
      id: fieldIds.requireProofOfPossession,
      show: ({ requireProofOfPossession }) => formatBoolean(requireProofOfPossession),
    },
    {
      member: 'requirePushedRequests',
      label: 'Pushed requests required',
      id: fieldIds.requirePushedRequests,
      show: ({ requirePushedRequests }) => formatBoolean(requirePushedRequests),
    },
    {
      member: 'backchannelLogoutUri',
      label: 'Back-channel logout URI',
      id: fieldIds.backchannelLogoutUri,
      show: ({ backchannelLogoutUri }) => backchannelLogoutUri ?? '',
    },
  ];
}

/** Errors of a form, in the order of its fields. */
export function formErrors(
  errors: SettingsErrors | null,
  { clientType, firstScope }: { clientType: ClientType | ''; firstScope: string },
): FormError[] {
  const { name, inDevelopment, redirectUris = new Map<number, string>(), scopes } = errors ?? {};
  const { backchannelLogoutUri } = errors ?? {};
  return [
    ...(name === undefined ? [] : [{ field: fieldIds.name, message: name }]),
    ...(clientType === '' ? [{ field: fieldIds.clientType, message: 'Choose a client type.' }] : []),
    ...(inDevelopment === undefined ? [] : [{ field: fieldIds.inDevelopment, message: inDevelopment }]),
    ...[...redirectUris].map(([line, message]) => {
      return { field: fieldIds.redirectUris, message: line === 0 ? message : `Line ${line}: ${message}` };
    }),
    ...(scopes === undefined ? [] : [{ field: fieldIds.scope(firstScope), message: scopes }]),
    ...(backchannelLogoutUri === undefined
      ? []
      : [{ field: fieldIds.backchannelLogoutUri, message: backchannelLogoutUri }]),
  ];
}
