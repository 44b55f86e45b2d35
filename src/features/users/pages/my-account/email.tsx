import { formPage, rejected } from '../../../../platform/pages/define-pages.js';
import { withFlash } from '../../../../platform/pages/flash.js';
import { Form, TextField } from '../../../../platform/pages/form-parts.js';
import type { PageContext, PageView } from '../../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../../platform/pages/page-router.js';
import { accountAddress, settings } from '../../../../platform/pages/paths.js';
import { sentence } from '../../../../platform/problems/rule-texts.js';
import type { UserServices } from '../../index.js';

const field = 'email';

/** Form that changes the e-mail address. The change takes effect when the new address is confirmed by a link. */
export function emailPages(site: PageRouter, { ownAccount, canSendMail }: UserServices): void {
  formPage(site, accountAddress('email'), {
    recentPassword: ['form', 'changes who can sign in'],
    initial: () => '',
    read: ({ form }) => form.text(field),
    view: (context, email) => emailPage(context, email, canSendMail),
    save: async (context, email) => {
      const outcome = await ownAccount.requestEmail(context.auditContext, context.sessionId, email);
      switch (outcome.kind) {
        case 'invalid_email':
          return rejected(field, sentence('The e-mail address', outcome.violation));
        case 'unchanged':
          return rejected(field, 'This is your e-mail address already.');
        case 'foreign_domain':
          return rejected(field, 'This e-mail address cannot be used.');
        case 'unavailable':
          return { status: 409, ...emailPage(context, '', false) };
        case 'failed':
          return { redirect: withFlash(settings.account, 'email_not_sent') };
        case 'sent':
          return { redirect: withFlash(settings.account, 'email_link_sent') };
      }
    },
  });
}

function emailPage({ user }: PageContext, email: string, available: boolean): PageView {
  return {
    title: 'Change e-mail address',
    body: (
      <>
        <p>
          You sign in with <strong>{user.email}</strong>.
        </p>
        {available ? (
          <Form button="Send link" cancel={settings.account}>
            <TextField
              id={field}
              label="New e-mail address"
              hint="You get a mail with a link at this address. The address changes when you open the link."
              type="email"
              value={email}
              autocomplete="email"
              maxLength={320}
            />
          </Form>
        ) : (
          <p>
            The address cannot be changed here, because this server sends no mail. Its operator can change it.{' '}
            <a href={settings.account}>Back to My account</a>
          </p>
        )}
      </>
    ),
  };
}
