import { CheckboxField } from '../../../platform/pages/checkbox-field.js';
import { editPage } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import { Form } from '../../../platform/pages/form-parts.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { settings } from '../../../platform/pages/paths.js';
import type { ApplicationPagesDependencies } from '../index.js';

const field = 'development_allowed';

interface DevelopmentForm {
  readonly allowed: boolean;
}

/** The setting whether the account allows applications in development. */
export function developmentPage(site: PageRouter, { developmentPolicy }: ApplicationPagesDependencies): void {
  editPage<DevelopmentForm, DevelopmentForm>(site, settings.development, {
    recentPassword: ['form', 'allows applications in development, or revokes their access'],
    load: async ({ auditContext }) => ({
      allowed: await developmentPolicy.isAllowed(auditContext.accountId),
    }),
    toForm: (_, stored) => stored,
    read: ({ form }) => ({ allowed: form.text(field) !== '' }),
    merged: [{ member: 'allowed', label: 'Applications in development', id: field }],
    view: (_, { form }) => ({ title: 'Applications in development', body: <Development {...form} /> }),
    save: async ({ auditContext }, { form: { allowed } }) => {
      await developmentPolicy.set(auditContext, allowed);
      return { redirect: withFlash(settings.applications, 'development_saved') };
    },
  });
}

function Development({ allowed }: DevelopmentForm) {
  return (
    <Form button="Save changes" cancel={settings.applications}>
      <CheckboxField
        id={field}
        title="Applications in development"
        label="Allow applications in development"
        checked={allowed}
      >
        An application in development can send users to <code>http://localhost</code>, where a developer runs
        it. If you turn this off, such applications cannot be authorized and get no tokens: all their tokens
        are revoked, all users are disconnected and their webhook endpoints are paused.
      </CheckboxField>
    </Form>
  );
}
