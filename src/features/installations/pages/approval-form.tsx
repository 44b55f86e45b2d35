import { hash } from 'node:crypto';
import { attributesError } from '../../../oauth/clients/application-settings.js';
import type { Client } from '../../../oauth/clients/client-registry.js';
import {
  type ApprovalChanges,
  describePublisher,
  type Installation,
  type Publisher,
  redirectHosts,
} from '../../../oauth/clients/installations.js';
import { isForDevelopment } from '../../../oauth/clients/redirect-uris.js';
import { ScopeChoices } from '../../../oauth/scope-choices.js';
import { includesEmployees, scopeLabel } from '../../../oauth/scopes.js';
import type { OAuthServices } from '../../../oauth/services.js';
import type { AccountId } from '../../../platform/accounts/account-id.js';
import type { Fields } from '../../../platform/pages/fields.js';
import {
  DescriptionItem,
  DescriptionList,
  FieldError,
  Form,
  type FormError,
  useDescription,
} from '../../../platform/pages/form-parts.js';
import { settings } from '../../../platform/pages/paths.js';
import {
  AttributeChoices,
  archivedChoice,
  attributesField,
  type CustomAttribute,
  choosableAttributes,
  type createEmployees,
  shownChoice,
  submittedChoice,
} from '../../employees/index.js';
import type { ApprovalMails } from '../approval-mails.js';
import type { Approvals, Selection } from '../approvals.js';

/** What the pages need that approve applications of other accounts. */
export interface ApprovalPagesDependencies
  extends Pick<OAuthServices, 'clients' | 'installations'>,
    Pick<ReturnType<typeof createEmployees>, 'readCustomAttributes'> {
  readonly approvals: Approvals;
  readonly approvalMails: ApprovalMails;
  readonly developmentPolicy: { isAllowed(accountId: AccountId): Promise<boolean> };
}

/** An application that an administrator can approve. */
export interface Candidate {
  readonly client: Client;
  readonly publisher: Publisher | null;
  /** The installation that must be approved again; `null` when there is none. */
  readonly installation: Installation | null;
  /** What has changed since the approval; `null` when nothing has. */
  readonly changes: ApprovalChanges | null;
  /** The custom attributes of the account that approves it. */
  readonly custom: readonly CustomAttribute[];
}

const scopesId = 'scopes';
const shownField = 'shown';

export function approvalTitle({ name }: Client): string {
  return `Approve ${name} for your account?`;
}

/**
 * What is selected at first: the scopes that were approved, and those that are requested and can be approved; the attributes that
 * were approved.
 */
export function initialSelection(candidate: Candidate, requested: readonly string[]): Selection {
  const { client, installation } = candidate;
  const selected = [...(installation?.scopes ?? []), ...requested];
  return {
    scopes: client.scopes.filter((scope) => selected.includes(scope)),
    readableAttributes: approvedAttributes(candidate),
  };
}

type Shown = Pick<Candidate, 'client' | 'installation' | 'custom'>;

/** The approved attributes that the form shows; `undefined` for a new installation. */
function approvedAttributes({ installation, custom }: Shown): string[] | undefined {
  return installation === null ? undefined : shownChoice(installation.approved.readableAttributes, custom);
}

/** Identifies what the form shows of an application and its approval, so that nothing else is approved. */
function fingerprint(candidate: Shown): string {
  const { name, redirectUris, scopes } = candidate.client;
  const shown = [name, redirectUris, scopes, approvedAttributes(candidate)];
  return hash('sha256', JSON.stringify(shown), 'base64url');
}

/** Reads the form: what is selected, with approved attributes that are archived, and the errors. */
export function readApproval(
  form: Fields,
  candidate: Shown,
): { readonly selection: Selection; readonly errors: FormError[] } {
  const { client, installation, custom } = candidate;
  const selected = form.list(scopesId);
  const scopes = client.scopes.filter((scope) => selected.includes(scope));
  // Without access to employees, the form does not have the attributes.
  const stored = installation?.approved.readableAttributes ?? [];
  const submitted = includesEmployees(client.scopes)
    ? submittedChoice(form.list(attributesField), { stored, custom })
    : undefined;
  const readableAttributes = submitted && [...submitted, ...archivedChoice(stored, custom)];
  const scopeError =
    form.text(shownField) !== fingerprint(candidate)
      ? 'The application has changed while this page was open. Check it again.'
      : selected.some((scope) => !scopes.includes(scope))
        ? 'Choose from the scopes in the list.'
        : scopes.length === 0
          ? 'Choose at least one scope.'
          : undefined;
  const found = [
    [scopesId, scopeError],
    [attributesField, attributesError(submitted ?? [], { knownAttributes: choosableAttributes(custom) })],
  ] as const;
  const errors = found.flatMap(([field, message]) => (message === undefined ? [] : [{ field, message }]));
  return { selection: { scopes, readableAttributes }, errors };
}

function isInDevelopment({ redirectUris }: Client): boolean {
  return redirectUris.every(isForDevelopment);
}

/** Whether the account forbids the client, which is in development, so that an approval gives it no access. */
export async function isForbidden(
  { developmentPolicy }: Pick<ApprovalPagesDependencies, 'developmentPolicy'>,
  accountId: AccountId,
  client: Client,
): Promise<boolean> {
  return isInDevelopment(client) && !(await developmentPolicy.isAllowed(accountId));
}

/** What an administrator approves, and the form. */
export function ApprovalForm({
  candidate,
  forbidden,
  selected,
  cancel,
  action,
}: {
  candidate: Candidate;
  /** Whether the account forbids the application: see {@link isForbidden}. */
  forbidden: boolean;
  selected: Selection;
  /** Path of the page to which "Don't approve" leads. */
  cancel: string;
  /** Default: the path of the page. */
  action?: string;
}) {
  const { client, publisher, installation, changes, custom } = candidate;
  const hint = `${scopesId}-hint`;
  return (
    <>
      {installation !== null && <Changes changes={changes} />}
      {publisher !== null && <p>{describePublisher(publisher)}.</p>}
      <DescriptionList>
        <DescriptionItem name="Client ID">
          <code>{client.clientId}</code>
        </DescriptionItem>
        <DescriptionItem name="Sends users to">
          <HostList uris={client.redirectUris} />
        </DescriptionItem>
      </DescriptionList>
      {isInDevelopment(client) && (
        <p class="warning">
          <strong>In development.</strong> This application runs on the computer of a developer. Approve it
          only if developers of your account use it.
          {forbidden && (
            <>
              {' '}
              Your account forbids applications in development, so it gets no access until you{' '}
              <a href={settings.development}>allow them</a>.
            </>
          )}
        </p>
      )}
      <Form
        action={action}
        hidden={[
          ['decision', 'approve'],
          [shownField, fingerprint(candidate)],
        ]}
        button="Approve"
        more={
          <a class="button secondary" href={cancel}>
            Don't approve
          </a>
        }
      >
        <fieldset id={scopesId} tabIndex={-1} {...useDescription(scopesId, hint)}>
          <legend>The application may ask your users to</legend>
          <p class="hint" id={hint}>
            Each user still decides what to allow. The application gets no access that you do not select.
          </p>
          <FieldError field={scopesId} />
          <ScopeChoices name={scopesId} scopes={client.scopes} selected={selected.scopes} />
        </fieldset>
        {includesEmployees(client.scopes) && (
          <AttributeChoices selected={selected.readableAttributes ?? []} custom={custom} />
        )}
      </Form>
    </>
  );
}

function Changes({ changes }: { changes: ApprovalChanges | null }) {
  if (changes === null) {
    return (
      <p>The application was suspended because it had changed. It is now as your account approved it.</p>
    );
  }
  const { formerName, newHosts, newScopes } = changes;
  return (
    <div class="warning">
      <p>
        The application has changed since your account approved it. It has no access until you approve it.
      </p>
      <ul>
        {formerName !== undefined && <li>It was approved with the name {formerName}.</li>}
        {newHosts.length > 0 && (
          <li>
            It can now send users to: <Codes texts={newHosts} />.
          </li>
        )}
        {newScopes.length > 0 && (
          <li>
            It can now ask for:
            <ul>
              {newScopes.map((scope) => (
                <li key={scope}>
                  {scopeLabel(scope)} <code>{scope}</code>
                </li>
              ))}
            </ul>
          </li>
        )}
      </ul>
    </div>
  );
}

/** The hosts of redirect URIs. */
export function HostList({ uris }: { uris: readonly string[] }) {
  return (
    <ul class="plain">
      {redirectHosts(uris).map((host) => (
        <li key={host}>
          <code>{host}</code>
        </li>
      ))}
    </ul>
  );
}

function Codes({ texts }: { texts: readonly string[] }) {
  return texts.map((text, index) => (
    <span key={text}>
      {index > 0 && ', '}
      <code>{text}</code>
    </span>
  ));
}
