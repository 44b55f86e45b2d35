import {
  changesSinceApproval,
  describePublisher,
  type Publisher,
} from '../../../oauth/clients/installations.js';
import { type Column, column, DataTable } from '../../../platform/pages/data-table.js';
import { actionForm, formPage } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import { ButtonForm } from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress, settings } from '../../../platform/pages/paths.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import { requestsId } from '../approval-mails.js';
import type { ApprovalRequests, Selection } from '../approvals.js';
import {
  ApprovalForm,
  type ApprovalPagesDependencies,
  approvalTitle,
  type Candidate,
  initialSelection,
  isForbidden,
  readApproval,
} from './approval-form.js';

/** Path of the page that approves an application for which users have asked, or which is suspended. */
export function approvalAddress(clientId: string): string {
  return `${settings.applications}/requests/${encodeURIComponent(clientId)}`;
}

/** Requests on the page at most. Decided ones make room for others. */
const maximumShown = 100;

interface ShownRequests extends ApprovalRequests {
  readonly name: string;
  readonly publisher: Publisher | null;
}

/** Reads what {@link RequestsSection} shows. */
export async function readRequests(
  { auditContext: { accountId } }: PageContext,
  { approvals, clients, installations }: ApprovalPagesDependencies,
): Promise<ShownRequests[]> {
  const open = await approvals.openRequests(accountId, maximumShown);
  return Promise.all(
    open.map(async (requests) => {
      const client = await clients.find(requests.clientId);
      const publisher = await installations.publisher(requests.clientId);
      return { ...requests, name: client?.name ?? requests.clientId, publisher };
    }),
  );
}

/** The applications for which users have asked; nothing when there are none. */
export function RequestsSection({ requests }: { requests: readonly ShownRequests[] }) {
  if (requests.length === 0) return null;
  return (
    <section id={requestsId}>
      <h2>Requests</h2>
      <p>Users of your account ask you to approve these applications.</p>
      <DataTable caption="Requests for approval" columns={columns} rows={requests} />
    </section>
  );
}

const columns: readonly Column<ShownRequests>[] = [
  column('Name', ({ name, publisher }) => (
    <>
      <strong>{name}</strong>
      {publisher !== null && (
        <>
          <br />
          {describePublisher(publisher)}
        </>
      )}
    </>
  )),
  column('Requested by', ({ users }) => (
    <ul class="plain">
      {users.map(({ name, email, requestedAt }) => (
        <li key={email}>
          {name === '' ? email : `${name}, ${email}`}, <Timestamp at={requestedAt} />
        </li>
      ))}
    </ul>
  )),
  column('Scopes', ({ users }) => (
    <span class="codes">
      {[...new Set(users.flatMap(({ scopes }) => scopes))].map((scope) => (
        <code key={scope}>{scope}</code>
      ))}
    </span>
  )),
  column('Action', ({ clientId, name }) => (
    <div class="row-actions">
      <a class="button secondary" href={approvalAddress(clientId)}>
        Approve<span class="unseen"> {name}</span>
      </a>
      <ButtonForm action={`${approvalAddress(clientId)}/decline`}>
        Decline<span class="unseen"> {name}</span>
      </ButtonForm>
    </div>
  )),
];

interface RequestedApproval {
  readonly candidate: Candidate;
  readonly selected: Selection;
}

/** The page that approves an application from the settings, and the form that declines the requests for it. */
export function requestPages(site: PageRouter, dependencies: ApprovalPagesDependencies): void {
  const { approvals, approvalMails, clients } = dependencies;
  const path = `${settings.applications}/requests/:client_id`;

  formPage<RequestedApproval>(site, path, {
    recentPassword: ['form', 'approves an application'],
    initial: (context) => requestedApproval(context, dependencies),
    read: async (context) => {
      const { candidate } = await requestedApproval(context, dependencies);
      return { candidate, selected: readApproval(context.form, candidate).selection };
    },
    view: async ({ auditContext }, { candidate, selected }) => {
      const { client, installation } = candidate;
      const cancel = installation === null ? settings.applications : applicationAddress(installation.id);
      const forbidden = await isForbidden(dependencies, auditContext.accountId, client);
      return {
        title: approvalTitle(client),
        body: <ApprovalForm {...{ candidate, forbidden, selected, cancel }} />,
      };
    },
    save: async ({ auditContext, form }, { candidate }) => {
      const { client } = candidate;
      const { selection, errors } = readApproval(form, candidate);
      if (errors.length > 0) return { errors };
      const outcome = await approvals.approve(auditContext, { client, ...selection });
      if (outcome.kind === 'forbidden')
        return { redirect: withFlash(settings.applications, 'approval_forbidden') };
      const { applicationId, requesters } = outcome;
      approvalMails.decided(auditContext, { name: client.name, isApproved: true, requesters });
      return { redirect: withFlash(applicationAddress(applicationId), 'application_approved') };
    },
  });

  actionForm(site, `${path}/decline`, {
    recentPassword: ['no', 'grants nothing'],
    back: () => settings.applications,
    save: async (context) => {
      const client = await clients.find(context.parameter('client_id'));
      if (client === null) throw recordNotFound();
      const outcome = await approvals.decline(context.auditContext, client.clientId);
      if (outcome.kind === 'not_found')
        return { redirect: withFlash(settings.applications, 'approval_decided') };
      const { requesters } = outcome;
      approvalMails.decided(context.auditContext, { name: client.name, isApproved: false, requesters });
      return { redirect: withFlash(settings.applications, 'approval_declined') };
    },
  });
}

/**
 * The application of the path, for which users have asked or whose installation is suspended.
 *
 * @throws {Problem} 404 `not_found`
 */
async function requestedApproval(
  { auditContext: { accountId }, parameter }: PageContext,
  { approvals, clients, installations, readCustomAttributes }: ApprovalPagesDependencies,
): Promise<RequestedApproval> {
  const client = await clients.find(parameter('client_id'));
  if (client === null || !client.shared) throw recordNotFound();
  const found = await installations.find(accountId, client);
  const installation = found?.suspended ? found : null;
  const requested = await approvals.requestedScopes(accountId, client.clientId);
  if (requested === null && installation === null) throw recordNotFound();
  const publisher = await installations.publisher(client.clientId);
  const changes = installation && changesSinceApproval(client, installation.approved);
  const custom = await readCustomAttributes(accountId);
  const candidate = { client, publisher, installation, changes, custom };
  return { candidate, selected: initialSelection(candidate, requested ?? []) };
}
