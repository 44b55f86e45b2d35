import {
  type ApplicationSettings,
  formatBoolean,
  type SettingsErrors,
} from '../../../oauth/clients/application-settings.js';
import type { ClientType } from '../../../oauth/clients/client-registry.js';
import { isForDevelopment } from '../../../oauth/clients/redirect-uris.js';
import { type Fields, filledLines } from '../../../platform/pages/fields.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import type { MergedField } from '../../../platform/pages/merge.js';
import { attributesField } from '../../employees/index.js';

/** The submitted form of an application, valid or not. */
export interface ApplicationForm extends ApplicationSettings {
  /** Empty when none was selected. */
  readonly clientType: ClientType | '';
}

/** Initial values of the form for a new application. */
export const emptyForm: ApplicationForm = {
  name: '',
  redirectUris: [],
  postLogoutRedirectUris: [],
  scopes: [],
  readableAttributes: [],
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
  postLogoutRedirectUris: 'post_logout_redirect_uris',
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
    redirectUris: form.list('redirect_uris').flatMap(filledLines),
    postLogoutRedirectUris: form.list('post_logout_redirect_uris').flatMap(filledLines),
    scopes: [...new Set(form.list('scopes'))],
    readableAttributes: [...new Set(form.list(attributesField))],
    requireClientSecret: form.text('require_client_secret') !== '',
    requireProofOfPossession: form.text('require_proof_of_possession') !== '',
    requirePushedRequests: form.text('require_pushed_requests') !== '',
    backchannelLogoutUri: form.text('backchannel_logout_uri').trim() || null,
    inDevelopment: form.text('in_development') !== '',
    clientType: clientType === 'confidential' || clientType === 'public' ? clientType : '',
  };
}

/** Reads the form of a new application. With a URI on `http://localhost`, it is in development without the checkbox. */
export function readNewApplication(form: Fields): ApplicationForm {
  const values = readApplicationForm(form);
  const uris = [...values.redirectUris, ...values.postLogoutRedirectUris];
  return { ...values, inDevelopment: values.inDevelopment || uris.some(isForDevelopment) };
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
      member: 'postLogoutRedirectUris',
      label: 'Sign-out redirect URIs',
      id: fieldIds.postLogoutRedirectUris,
      show: ({ postLogoutRedirectUris }) => postLogoutRedirectUris.join(' '),
    },
    {
      member: 'scopes',
      label: 'Scopes',
      id: fieldIds.scope(knownScopes[0] ?? ''),
      show: ({ scopes }) => scopes.join(' '),
    },
    {
      member: 'readableAttributes',
      label: 'Readable attributes',
      id: attributesField,
      show: ({ readableAttributes }) => readableAttributes.join(' '),
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
  const { name, inDevelopment, scopes, readableAttributes, backchannelLogoutUri } = errors ?? {};
  return [
    ...(name === undefined ? [] : [{ field: fieldIds.name, message: name }]),
    ...(clientType === '' ? [{ field: fieldIds.clientType, message: 'Choose a client type.' }] : []),
    ...(inDevelopment === undefined ? [] : [{ field: fieldIds.inDevelopment, message: inDevelopment }]),
    ...lineErrors(fieldIds.redirectUris, errors?.redirectUris),
    ...lineErrors(fieldIds.postLogoutRedirectUris, errors?.postLogoutRedirectUris),
    ...(scopes === undefined ? [] : [{ field: fieldIds.scope(firstScope), message: scopes }]),
    ...(readableAttributes === undefined ? [] : [{ field: attributesField, message: readableAttributes }]),
    ...(backchannelLogoutUri === undefined
      ? []
      : [{ field: fieldIds.backchannelLogoutUri, message: backchannelLogoutUri }]),
  ];
}

/** Errors of a field with a URI on each line. */
function lineErrors(field: string, errors: ReadonlyMap<number, string> = new Map()): FormError[] {
  return [...errors].map(([line, message]) => {
    return { field, message: line === 0 ? message : `Line ${line}: ${message}` };
  });
}
