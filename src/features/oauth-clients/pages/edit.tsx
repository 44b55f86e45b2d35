import type { ApplicationDetails } from '../../../oauth/clients/application-details.js';
import { findSettingsErrors } from '../../../oauth/clients/application-settings.js';
import { requestedApplication } from '../../../oauth/clients/requested-application.js';
import { formPage, rejected } from '../../../platform/pages/define-pages.js';
import { isUnchanged } from '../../../platform/pages/fields.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import { settingsVersion } from '../settings-changes.js';
import { type ApplicationForm, fieldIds, formErrors, readApplicationForm } from './application-form.js';
import type { ApplicationPagesDependencies } from './application-pages.js';
import { ApplicationFields } from './form-page.js';

/** Form that changes an application, except its client type and client ID. */
export function editPages(site: PageRouter, dependencies: ApplicationPagesDependencies): void {
  const { applications, production } = dependencies;
  const knownScopes = Object.keys(dependencies.scopes);

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
          back={applicationAddress(id)}
          button="Save changes"
          form={values}
          hidden={['version', version]}
          scopes={knownScopes}
          production={production}
          stored={stored}
        />
      ),
    }),
    save: async (context, { application, values, version }) => {
      const { clientType, id, name: storedName } = application;
      const name = isUnchanged(values.name, storedName) ? storedName : values.name;
      const form = { application, values: { ...values, name }, version };
      const found = findSettingsErrors(form.values, {
        clientType,
        knownScopes,
        allowLocalhost: !production,
        storedName,
      });
      const errors = formErrors(found, { clientType, firstScope: knownScopes[0] ?? '' });
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
