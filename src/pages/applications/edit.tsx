import { recordNotFound } from '../../problems/problem.js';
import type { ApplicationDetails } from '../../services/applications/application-details.js';
import { settingsFaults } from '../../services/applications/application-settings.js';
import { settingsVersion } from '../../services/applications/settings-changes.js';
import type { FormFault } from '../form-parts.js';
import { withNotice } from '../notices.js';
import type { Site, Visit } from '../site.js';
import { settings } from '../site-page.js';
import {
  type ApplicationForm,
  fieldIds,
  formFaults,
  readApplicationForm,
  requestsLines,
} from './application-form.js';
import { type ApplicationPagesDependencies, addressOf, visitedApplication } from './application-pages.js';
import { ApplicationFormPage } from './form-page.js';

/** The form that changes an application. Its client type and client ID stay what they are. */
export function editPages(site: Site, dependencies: ApplicationPagesDependencies): void {
  const { applications, production } = dependencies;
  const knownScopes = Object.keys(dependencies.scopes);
  const path = `${settings.applications}/:id/edit`;

  const formPage = (
    visit: Visit,
    application: ApplicationDetails,
    form: ApplicationForm,
    more: { version: string; faults?: readonly FormFault[]; moreLines?: boolean },
  ) => (
    <ApplicationFormPage
      visit={visit}
      title={`Edit ${application.name}`}
      action={addressOf(application.id, 'edit')}
      back={addressOf(application.id)}
      button="Save changes"
      form={form}
      hidden={{ version: more.version }}
      scopes={knownScopes}
      production={production}
      {...(more.faults && { faults: more.faults })}
      {...(more.moreLines && { moreLines: true })}
    />
  );

  site.get(path, async (visit) => {
    const application = await visitedApplication(visit, dependencies);
    return { page: formPage(visit, application, application, { version: settingsVersion(application) }) };
  });

  site.post(path, async (visit) => {
    const application = await visitedApplication(visit, dependencies);
    const { clientType, id } = application;
    const form = { ...readApplicationForm(visit.form), clientType };
    const version = visit.form.text('version');
    if (requestsLines(visit.form))
      return { page: formPage(visit, application, form, { version, moreLines: true }) };

    const found = settingsFaults(form, { clientType, knownScopes, allowLocalhost: !production });
    const faults = formFaults(found, { clientType, firstScope: knownScopes[0] ?? '' });
    if (faults.length > 0)
      return { status: 400, page: formPage(visit, application, form, { version, faults }) };

    const outcome = await applications.update(visit.auditContext, {
      id,
      settings: form,
      version: version === '' ? undefined : version,
    });
    if (outcome === 'not_found') throw recordNotFound();
    if (outcome === 'updated') return { goTo: withNotice(addressOf(id), 'application_updated') };
    const words =
      'Somebody else changed this application while you did. Compare with what it is now, then save again: yours will replace it.';
    const current = settingsVersion(application);
    return {
      status: 409,
      page: formPage(visit, application, form, {
        version: current,
        faults: [{ field: fieldIds.name, words }],
      }),
    };
  });
}
