import { type ApplicationDetails, requestedApplication } from '../../../oauth/clients/application-details.js';
import {
  attributesError,
  findSettingsErrors,
  scopesError,
} from '../../../oauth/clients/application-settings.js';
import { includesEmployees } from '../../../oauth/scopes.js';
import { inContractOrder } from '../../../platform/contract/employee-attributes.js';
import { editPage, formNonce, formPage } from '../../../platform/pages/define-pages.js';
import { isUnchanged } from '../../../platform/pages/fields.js';
import { withFlash } from '../../../platform/pages/flash.js';
import { Form, type FormError } from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress, settings } from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import {
  AttributeChoices,
  archivedChoice,
  attributesField,
  type CustomAttribute,
  choosableAttributes,
  shownChoice,
  submittedChoice,
} from '../../employees/index.js';
import type { ApplicationPagesDependencies } from '../index.js';
import {
  type ApplicationForm,
  emptyForm,
  fieldIds,
  formErrors,
  mergedFields,
  readApplicationForm,
  readNewApplication,
} from './application-form.js';
import { noExpiry, readExpiry, resolveExpiry } from './expiry-fields.js';
import { ApplicationFields, ScopeFields } from './form-page.js';
import { secretPage } from './secrets.js';

/** The application that a form edits, and the custom attributes of the account. */
interface StoredApplication extends ApplicationDetails {
  readonly custom: readonly CustomAttribute[];
}

/** Forms that create an application, and change it except for its client type and client ID. */
export function editPages(site: PageRouter, dependencies: ApplicationPagesDependencies): void {
  const { applications, developmentPolicy, readCustomAttributes, baseUrl, config } = dependencies;
  const knownScopes = Object.keys(dependencies.scopes);
  const fields = { scopes: knownScopes };
  const check = async (
    { auditContext: { accountId } }: PageContext,
    values: ApplicationForm,
    { custom, stored }: { custom: readonly CustomAttribute[]; stored?: ApplicationDetails },
  ) => {
    const clientType = values.clientType === '' ? 'confidential' : values.clientType;
    const options = {
      clientType,
      knownScopes,
      knownAttributes: choosableAttributes(custom),
      developmentAllowed: await developmentPolicy.isAllowed(accountId),
      allowLocal: !config.production,
      ...(stored && { stored }),
    };
    const found = findSettingsErrors(values, options);
    return formErrors(found, { clientType: values.clientType, firstScope: knownScopes[0] ?? '' });
  };

  const load = async (context: PageContext): Promise<StoredApplication> => {
    const [application, custom] = await Promise.all([
      requestedApplication(context, dependencies),
      readCustomAttributes(context.auditContext.accountId),
    ]);
    return { ...application, custom };
  };

  formPage(site, settings.applications, {
    page: `${settings.applications}/new`,
    recentPassword: ['form', 'creates a client secret'],
    initial: (context) => ({ values: emptyForm, expiry: noExpiry, nonce: formNonce(context) }),
    read: (context) => ({
      values: readNewApplication(context.form),
      expiry: readExpiry(context),
      nonce: formNonce(context),
    }),
    view: async ({ auditContext: { accountId } }, { values, expiry, nonce }) => ({
      title: 'New application',
      body: (
        <ApplicationFields
          {...fields}
          action={settings.applications}
          back={settings.applications}
          button="Create application"
          form={values}
          custom={await readCustomAttributes(accountId)}
          expiry={expiry}
          nonce={nonce}
        />
      ),
    }),
    save: async (context, { values, expiry, nonce }) => {
      const clientType = values.clientType === 'public' ? 'public' : 'confidential';
      const resolved = clientType === 'public' ? { expiresAt: null } : resolveExpiry(context, expiry);
      const custom = await readCustomAttributes(context.auditContext.accountId);
      const found = await check(context, values, { custom });
      const errors = [...found, ...('errors' in resolved ? resolved.errors : [])];
      if ('errors' in resolved || errors.length > 0) return { errors };
      const { expiresAt } = resolved;
      const application = { clientType, settings: values, expiresAt, nonce } as const;
      const created = await applications.register(context.auditContext, application);
      const path = applicationAddress(created.id);
      if (created.kind === 'repeated') return { redirect: withFlash(path, 'application_exists') };
      const { clientSecret } = created;
      if (clientSecret === null) return { redirect: withFlash(path, 'application_created') };
      // The secret is in the response to the form: in a URL it would stay in the browser's history.
      return secretPage('Application created', { ...created, clientSecret, expiresAt, baseUrl });
    },
  });

  editPage<StoredApplication, ApplicationForm>(site, applicationAddress(':id', 'edit'), {
    recentPassword: ['form', 'grants or removes scopes, attributes and redirect URIs'],
    load,
    toForm: (_, stored) => inOrder({ ...stored, readableAttributes: shown(stored) }),
    read: ({ form }, stored) => {
      const submitted = readApplicationForm(form);
      const { clientType, isInstallation, requestedScopes, custom } = stored;
      const choice = { stored: stored.readableAttributes, custom };
      const hasChoices = !isInstallation || includesEmployees(requestedScopes);
      const readableAttributes = hasChoices
        ? submittedChoice(submitted.readableAttributes, choice)
        : shown(stored);
      if (!isInstallation) return inOrder({ ...submitted, clientType, readableAttributes });
      return inOrder({ ...stored, scopes: submitted.scopes, readableAttributes });
    },
    merged: mergedFields(knownScopes),
    view: (_, { stored: { id, name, isInstallation, requestedScopes, custom }, form }) => {
      const options = { back: applicationAddress(id), button: 'Save changes', form, custom };
      return {
        title: `Edit ${name}`,
        body: isInstallation ? (
          <InstallationFields {...options} scopes={requestedScopes} />
        ) : (
          <ApplicationFields {...fields} {...options} />
        ),
      };
    },
    save: async (context, { stored, form }) => {
      const { id, name: storedName, custom } = stored;
      const name = isUnchanged(form.name, storedName) ? storedName : form.name;
      const values = { ...form, name };
      const errors = stored.isInstallation
        ? installationErrors(values, stored)
        : await check(context, values, { custom, stored });
      if (errors.length > 0) return { errors, form: values };

      const kept = archivedChoice(stored.readableAttributes, custom);
      const readableAttributes = [...values.readableAttributes, ...kept];
      const update = { id, settings: { ...values, readableAttributes }, expected: stored };
      const outcome = await applications.update(context.auditContext, update);
      if (outcome === 'not_found') throw recordNotFound();
      // What is permitted has changed too. The form is checked again.
      if (outcome === 'conflict' || outcome === 'not_permitted') return { conflict: await load(context) };
      return { redirect: withFlash(applicationAddress(id), 'application_updated') };
    },
  });
}

function shown({ readableAttributes, custom }: StoredApplication): string[] {
  return shownChoice(readableAttributes, custom);
}

/** Errors of the form of an installation, which changes the approved scopes and the readable attributes only. */
function installationErrors(
  { scopes, readableAttributes }: ApplicationForm,
  { requestedScopes, custom }: StoredApplication,
): FormError[] {
  const found = [
    [fieldIds.scope(requestedScopes[0] ?? ''), scopesError(scopes, { knownScopes: requestedScopes })],
    [attributesField, attributesError(readableAttributes, { knownAttributes: choosableAttributes(custom) })],
  ] as const;
  return found.flatMap(([field, message]) => (message === undefined ? [] : [{ field, message }]));
}

/** The values of the form with the scopes and the attributes in one order, so that only another selection is a change. */
function inOrder({
  name,
  redirectUris,
  postLogoutRedirectUris,
  scopes,
  readableAttributes,
  requireClientSecret,
  requireProofOfPossession,
  requirePushedRequests,
  backchannelLogoutUri,
  inDevelopment,
  clientType,
}: ApplicationForm): ApplicationForm {
  return {
    name,
    redirectUris,
    postLogoutRedirectUris,
    scopes: scopes.toSorted(),
    readableAttributes: inContractOrder(readableAttributes),
    requireClientSecret,
    requireProofOfPossession,
    requirePushedRequests,
    backchannelLogoutUri,
    inDevelopment,
    clientType,
  };
}

/** Form that changes the scopes and the readable attributes of an installation. */
function InstallationFields({
  back,
  button,
  form,
  scopes,
  custom,
}: {
  back: string;
  button: string;
  form: ApplicationForm;
  /** The custom attributes of the account. */
  custom: readonly CustomAttribute[];
  /** The scopes that the application can request. */
  scopes: readonly string[];
}) {
  return (
    <Form button={button} cancel={back}>
      <ScopeFields
        scopes={scopes}
        chosen={form.scopes}
        legend="Approved scopes"
        hint="Users can allow the application these scopes and no others. Its tokens immediately lose the ones that you remove. Everything else except the attributes is what the application was approved with."
      />
      {includesEmployees(scopes) && <AttributeChoices selected={form.readableAttributes} custom={custom} />}
    </Form>
  );
}
