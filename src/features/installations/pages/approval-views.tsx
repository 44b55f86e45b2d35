import type { ComponentChildren, ComponentProps } from 'preact';
import { describePublisher } from '../../../oauth/clients/installations.js';
import { scopeLabel } from '../../../oauth/scopes.js';
import type { User } from '../../../platform/accounts/user.js';
import {
  CsrfField,
  ErrorSummary,
  Form,
  type FormState,
  SignedInAs,
} from '../../../platform/pages/form-parts.js';
import { Layout } from '../../../platform/pages/layout.js';
import { Timestamp, ViewerContext } from '../../../platform/pages/timestamp.js';
import { type ApplicationPolicy, mayApprove } from '../approvals.js';
import { ApprovalForm, approvalTitle, type Candidate, HostList } from './approval-form.js';
import { policyPath } from './policy.js';

interface ViewProps {
  readonly candidate: Candidate;
  readonly user: User;
  readonly form: FormState;
  /** Address of the authorization request. */
  readonly authorization: string;
}

/** The form with which an owner or administrator approves an application. */
export function ApprovalPage({
  selected,
  cancel,
  forbidden,
  ...props
}: ViewProps & Omit<ComponentProps<typeof ApprovalForm>, 'candidate' | 'action'>) {
  return (
    <Frame {...props} title={approvalTitle(props.candidate.client)}>
      <ApprovalForm {...{ candidate: props.candidate, forbidden, selected, cancel }} />
    </Frame>
  );
}

/** The page for a user who can ask for approval, or who has asked. */
export function RequestPage({
  requested,
  sent,
  canSendMail,
  ...props
}: ViewProps & {
  /** The scopes of the authorization request that the application can have. */
  requested: readonly string[];
  /** The request of the user; `null` when there is none. */
  sent: { readonly requestedAt: Date; readonly isDeclined: boolean } | null;
  /** Whether the user gets a mail about the decision. */
  canSendMail: boolean;
}) {
  const { client, publisher, installation } = props.candidate;
  if (sent !== null) {
    return (
      <Frame {...props} title={sent.isDeclined ? `${client.name} is not approved` : 'Request sent'}>
        <p>
          You asked for the approval of <strong>{client.name}</strong> on <Timestamp at={sent.requestedAt} />.
        </p>
        {sent.isDeclined ? (
          <p>The request was declined. If you need the application, contact an owner or administrator.</p>
        ) : (
          <p>
            The owners and administrators of your account decide.{' '}
            {canSendMail ? 'You get a mail about the decision. Then connect' : 'After the approval, connect'}{' '}
            the application again.
          </p>
        )}
      </Frame>
    );
  }
  return (
    <Frame {...props} title={`${client.name} needs the approval of an administrator`}>
      <p>
        {installation === null
          ? 'Your account has not approved this application.'
          : 'This application has changed since your account approved it.'}{' '}
        You can use it when an owner or administrator has approved it.
      </p>
      {publisher !== null && <p>{describePublisher(publisher)}.</p>}
      <dl class="account">
        <dt>Sends users to</dt>
        <dd>
          <HostList uris={client.redirectUris} />
        </dd>
      </dl>
      {requested.length > 0 && (
        <>
          <h2>The application asks to</h2>
          <ul>
            {requested.map((scope) => (
              <li key={scope}>
                {scopeLabel(scope)} <code>{scope}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      <Form className={null} hidden={[['decision', 'request']]} button="Ask for approval" />
    </Frame>
  );
}

/** The page for a user to whom the policy of the account permits neither to approve nor to ask. */
export function NotAllowedPage({ policy, ...props }: ViewProps & { policy: ApplicationPolicy }) {
  const { name } = props.candidate.client;
  return (
    <Frame
      {...props}
      title={policy === 'none' ? `${name} cannot be used` : `${name} needs the approval of an administrator`}
    >
      {policy === 'none' ? (
        <p>Your account does not allow applications of other accounts.</p>
      ) : (
        <p>An owner or administrator of your account must connect this application first.</p>
      )}
      {mayApprove(props.user.role) && (
        <p>
          <a href={policyPath}>Change the policy</a>
        </p>
      )}
    </Frame>
  );
}

/** The frame of the pages: the heading, the account, and another user. */
function Frame({
  title,
  user,
  form,
  authorization,
  children,
}: ViewProps & { title: string; children: ComponentChildren }) {
  return (
    <Layout title={title} narrow form={form}>
      <ViewerContext.Provider value={user}>
        <h1>{title}</h1>
        <ErrorSummary />
        <SignedInAs user={user} />
        {children}
        <form method="post" action="/sign_out">
          <CsrfField />
          <input type="hidden" name="return_to" value={authorization} />
          <button type="submit" class="outline secondary">
            Use another account
          </button>
        </form>
      </ViewerContext.Provider>
    </Layout>
  );
}
