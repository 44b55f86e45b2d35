import { type ApplicationDetails, requestedApplication } from '../../../oauth/clients/application-details.js';
import { findSettingsErrors } from '../../../oauth/clients/application-settings.js';
import { formNonce, formPage, rejected } from '../../../platform/pages/define-pages.js';
import { isUnchanged } from '../../../platform/pages/fields.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress, settings } from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { ApplicationPagesDependencies } from '../index.js';
import { settingsVersion } from '../oauth-applications.js';
import {
  ApplicationFields,
  type ApplicationForm,
  emptyForm,
  fieldIds,
  formErrors,
  readApplicationForm,
} from './form-page.js';
import { secretPage } from './secrets.js';

/** Forms that create an application, and change it except for its client type and client ID. */
export function editPages(site: PageRouter, dependencies: ApplicationPagesDependencies): void {
  const { applications, baseUrl, production } = dependencies;
  const knownScopes = Object.keys(dependencies.scopes);
  const fields = { scopes: knownScopes, production };
  const check = (values: ApplicationForm, storedName?: string) => {
    const clientType = values.clientType === '' ? 'confidential' : values.clientType;
    const options = {
      clientType,
      knownScopes,
      allowLocalhost: !production,
      ...(storedName && { storedName }),
    };
    const found = findSettingsErrors(values, options);
    return formErrors(found, { clientType: values.clientType, firstScope: knownScopes[0] ?? '' });
  };

  formPage(site, settings.applications, {
    page: `${settings.applications}/new`,
    recentPassword: ['form', 'creates a client secret'],
    initial: (context) => ({ values: emptyForm, nonce: formNonce(context) }),
    read: (context) => ({ values: readApplicationForm(context.form), nonce: formNonce(context) }),
    view: (_, { values, nonce }) => ({
      title: 'New application',
      body: (
        <ApplicationFields
          {...fields}
          action={settings.applications}
          back={settings.applications}
          button="Create application"
          form={values}
          hidden={['form', nonce]}
        />
      ),
    }),
    save: async (context, { values, nonce }) => {
      const errors = check(values);
      if (errors.length > 0) return { errors };
      const clientType = values.clientType === 'public' ? 'public' : 'confidential';
      const application = { clientType, settings: values, nonce } as const;
      const created = await applications.register(context.auditContext, application);
      const path = applicationAddress(created.id);
      if (created.kind === 'repeated') return { redirect: withFlash(path, 'application_exists') };
      const { clientSecret } = created;
      if (clientSecret === null) return { redirect: withFlash(path, 'application_created') };
      // The secret is in the response to the form: in a URL it would stay in the browser's history.
      return secretPage('Application created', { ...created, clientSecret, baseUrl });
    },
  });

  formPage<EditedApplication>(site, applicationAddress(':id', 'edit'), {
    recentPassword: ['form', 'grants or removes scopes and redirect URIs'],
    initial: async (context) => {
      const application = await requestedApplication(context, dependencies);
      return { application, values: application, version: settingsVersion(application) };
    },
    read: async (context) => {
      const application = await requestedApplication(context, dependencies);
      const { clientType } = application;
      const values = { ...readApplicationForm(context.form), clientType };
      return { application, values, version: context.form.text('version') };
    },
    view: (_, { application: { id, name }, values, version, stored }) => ({
      title: `Edit ${name}`,
      body: (
        <ApplicationFields
          {...fields}
          back={applicationAddress(id)}
          button="Save changes"
          form={values}
          hidden={['version', version]}
          stored={stored}
        />
      ),
    }),
    save: async (context, { application, values, version }) => {
      const { id, name: storedName } = application;
      const name = isUnchanged(values.name, storedName) ? storedName : values.name;
      const form = { application, values: { ...values, name }, version };
      const errors = check(form.values, storedName);
      if (errors.length > 0) return { errors, form };

      const outcome = await applications.update(context.auditContext, {
        id,
        settings: form.values,
        version: version === '' ? undefined : version,
      });
      if (outcome === 'not_found') throw recordNotFound();
      if (outcome === 'updated')
        return { redirect: withFlash(applicationAddress(id), 'application_updated') };
      const message =
        'Another user changed this application while you were editing it. Compare the saved values with yours. To replace them, save again.';
      return {
        ...rejected(fieldIds.name, message, 409),
        form: { ...form, version: settingsVersion(application), stored: application },
      };
    },
  });
}

interface EditedApplication {
  readonly application: ApplicationDetails;
  readonly values: ApplicationForm;
  readonly version: string;
  /** The saved settings, when another user has changed them meanwhile. */
  readonly stored?: ApplicationDetails;
}
