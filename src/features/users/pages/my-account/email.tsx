import { ErrorSummary, TextField } from '../../../../platform/pages/form-parts.js';
import { CsrfField } from '../../../../platform/pages/layout.js';
import { withNotice } from '../../../../platform/pages/notices.js';
import type { PageContext } from '../../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../../platform/pages/page-router.js';
import { accountAddress, settings } from '../../../../platform/pages/paths.js';
import { SitePage } from '../../../../platform/pages/site-page.js';
import { sentence } from '../../../../platform/problems/rule-texts.js';
import type { AccountPagesDependencies } from './account-pages.js';

const field = 'email';

/** Form that changes the e-mail address. The change takes effect when the new address is confirmed by a link. */
export function emailPages(site: PageRouter, { emailChanges }: AccountPagesDependencies): void {
  const path = accountAddress('email');

  site.get(path, async (context) => ({
    page: <EmailPage context={context} email="" available={emailChanges.available} />,
  }));

  site.post(
    path,
    async (context) => {
      const email = context.form.text(field);
      const failed = (error: string) => ({
        status: 400,
        page: <EmailPage {...{ context, email, error }} available={emailChanges.available} />,
      });
      const outcome = await emailChanges.request(context.auditContext, context.sessionId, email);
      switch (outcome.kind) {
        case 'invalid_email':
          return failed(sentence('The e-mail address', outcome.violation));
        case 'unchanged':
          return failed('This is your e-mail address already.');
        case 'foreign_domain':
          return failed('This e-mail address cannot be used.');
        case 'unavailable':
          return { status: 409, page: <EmailPage context={context} email="" available={false} /> };
        case 'failed':
          return { redirect: withNotice(settings.account, 'email_not_sent') };
        case 'sent':
          return { redirect: withNotice(settings.account, 'email_link_sent') };
      }
    },
    {
      restore: async (context) => ({
        page: (
          <EmailPage context={context} email={context.form.text(field)} available={emailChanges.available} />
        ),
      }),
    },
  );
}

function EmailPage({
  context,
  email,
  error,
  available,
}: {
  context: PageContext;
  email: string;
  error?: string;
  available: boolean;
}) {
  const title = 'Change e-mail address';
  return (
    <SitePage context={context} title={title} hasErrors={error !== undefined} current="account">
      <h1>{title}</h1>
      <ErrorSummary errors={error === undefined ? [] : [{ field, message: error }]} />
      <p>
        You sign in with <strong>{context.user.email}</strong>.
      </p>
      {available ? (
        <form method="post" action={accountAddress('email')} noValidate class="fields">
          <CsrfField token={context.csrfToken} />
          <TextField
            id={field}
            label="New e-mail address"
            hint="You get a mail with a link at this address. The address changes when you open the link."
            type="email"
            value={email}
            autocomplete="email"
            maxLength={320}
            error={error}
          />
          <div class="actions">
            <button type="submit">Send link</button>
            <a href={settings.account}>Cancel</a>
          </div>
        </form>
      ) : (
        <p>
          The address cannot be changed here, because this server sends no mail. Its operator can change it.{' '}
          <a href={settings.account}>Back to My account</a>
        </p>
      )}
    </SitePage>
  );
}
