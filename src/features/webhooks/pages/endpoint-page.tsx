import type { ApplicationDetails } from '../../../oauth/clients/application-details.js';
import { tabAddress } from '../../../oauth/clients/application-tabs.js';
import { numberText } from '../../../platform/counted.js';
import type { WebhookAttempt } from '../../../platform/database/generated/client.js';
import { Badge } from '../../../platform/pages/badge.js';
import { type Column, column, DataTable } from '../../../platform/pages/data-table.js';
import {
  ButtonForm,
  DescriptionItem,
  DescriptionList,
  Form,
  TextField,
} from '../../../platform/pages/form-parts.js';
import type { PageView } from '../../../platform/pages/page-context.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import { WrappedUrl } from '../../../platform/pages/wrapped-text.js';
import { eventId } from '../../events/index.js';
import { keptAttempts } from '../delivery/outcome.js';
import { maxRetryDays, type PauseReason, type WebhookEndpoint, withoutQuery } from '../webhook-endpoint.js';
import { endpointAddress } from './requested.js';

const reasons: Readonly<Record<PauseReason, string>> = {
  failing: `every attempt failed for ${maxRetryDays} days`,
  gone: 'its server responded that the address no longer exists (410 Gone)',
  expired: 'the next events are no longer kept',
  access: 'the application may no longer read employees (scope employees:read or reports:read)',
  revoked: 'all access of the application was revoked',
  manual: 'an owner or administrator paused it',
};

/** Badge that shows whether events are sent to an endpoint. */
export function EndpointState({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { pausedAt, pauseReason, failingSince } = endpoint;
  if (pausedAt !== null) {
    return (
      <>
        <Badge tone="ended">Paused</Badge> since <Timestamp at={pausedAt} />
        {/* A later version may have stored another reason. */}
        {pauseReason !== null && pauseReason in reasons && `, because ${reasons[pauseReason]}`}
      </>
    );
  }
  if (failingSince !== null) {
    return (
      <>
        <Badge tone="caution">Retrying</Badge> since <Timestamp at={failingSince} />
      </>
    );
  }
  return <Badge tone="good">Delivering</Badge>;
}

/** Name and `id` of the field for the event after which an endpoint is resumed. */
export const afterField = 'after';

/** Values of the field `from`. */
export const resumePoints = ['stopped', 'end', 'after'] as const;

/** The submitted values. */
export interface ResumeFormValues {
  readonly from: (typeof resumePoints)[number];
  readonly after: string;
}

const labels: Readonly<Record<ResumeFormValues['from'], string>> = {
  stopped: 'Where it stopped',
  end: 'With the next new event: those that were not sent are skipped',
  after: 'After this event:',
};

/** The form that resumes an endpoint, or moves it to other events. */
function ResumeForm({
  action,
  values,
  isPaused,
}: {
  action: string;
  values: ResumeFormValues;
  isPaused: boolean;
}) {
  const button = isPaused ? 'Resume' : 'Send again';
  return (
    <section id="resume">
      <h2>{button}</h2>
      <p>Continues to send events, or sends earlier ones again.</p>
      <Form action={action} validated button={button}>
        <fieldset>
          <legend>Continue</legend>
          {resumePoints.map((point) => (
            <label key={point} class="choice">
              <input type="radio" name="from" value={point} checked={values.from === point} />
              <span>{labels[point]}</span>
            </label>
          ))}
        </fieldset>
        <TextField
          id={afterField}
          label="Event ID"
          hint="It starts with evt_. The event after it is sent first."
          value={values.after}
          maxLength={100}
          autocomplete="off"
          required={false}
        />
      </Form>
    </section>
  );
}

/** The last attempts to deliver events to an endpoint, newest first. */
function AttemptsSection({ attempts, address }: { attempts: readonly WebhookAttempt[]; address: string }) {
  return (
    <section>
      <h2>Deliveries</h2>
      {attempts.length === 0 ? (
        <p>Nothing was sent yet.</p>
      ) : (
        <>
          <p>The last {keptAttempts} attempts are kept.</p>
          <DataTable caption="Deliveries, newest first" columns={columnsFor(address)} rows={attempts} />
        </>
      )}
    </section>
  );
}

function columnsFor(address: string): Column<WebhookAttempt>[] {
  return [
    column('When', ({ attemptedAt }) => <Timestamp at={attemptedAt} />),
    column('Result', Result),
    column('Duration', ({ durationMs }) => `${numberText(durationMs)} ms`, { kind: 'number' }),
    column('Events', ({ events, lastPosition }) => (lastPosition === null ? 'Test' : events), {
      kind: 'number',
    }),
    column('Again', ({ accountId, firstPosition }) => {
      // A test has no events.
      if (firstPosition === null) return '–';
      const after = new URLSearchParams({ [afterField]: eventId(accountId, firstPosition - 1n) });
      return <a href={`${address}?${after}#resume`}>Send again</a>;
    }),
    column('Start of the response', ({ response, error }) =>
      error === null && response !== null && response !== '' ? <code>{response}</code> : (error ?? '–'),
    ),
    column('Delivery', ({ deliveryId }) => <code>{deliveryId}</code>, { kind: 'short' }),
  ];
}

function Result({ status }: WebhookAttempt) {
  if (status === null) return <Badge tone="ended">No response</Badge>;
  return <Badge tone={status >= 200 && status < 300 ? 'good' : 'ended'}>{status}</Badge>;
}

interface EndpointPageProps {
  readonly application: ApplicationDetails;
  readonly endpoint: WebhookEndpoint;
  readonly attempts: readonly WebhookAttempt[];
  readonly values?: ResumeFormValues;
}

/** State and last attempts of a webhook endpoint. */
export function endpointPage(props: EndpointPageProps): PageView {
  const { application, endpoint } = props;
  const url = withoutQuery(endpoint.url);
  return {
    title: `Endpoint ${url}`,
    heading: (
      <div class="heading">
        <h1>
          <WrappedUrl url={url} />
        </h1>
        <a class="button secondary" href={endpointAddress(props, 'edit')}>
          Edit
        </a>
      </div>
    ),
    parent: {
      title: `Webhooks of ${application.name}`,
      href: tabAddress(application.id, 'webhooks'),
    },
    body: <EndpointSections {...props} />,
  };
}

function EndpointSections({
  application,
  endpoint,
  attempts,
  values = { from: 'stopped', after: '' },
}: EndpointPageProps) {
  const { id, description, eventTypes, lastEventId, createdAt, pausedAt, previousSecretExpiresAt } = endpoint;
  const address = endpointAddress({ application, endpoint });
  return (
    <>
      <DescriptionList>
        <DescriptionItem name="State">
          <EndpointState endpoint={endpoint} />
        </DescriptionItem>
        {description !== null && (
          <DescriptionItem name="Description">
            <bdi>{description}</bdi>
          </DescriptionItem>
        )}
        <DescriptionItem name="Events">
          {eventTypes.length === 0 ? 'All types' : eventTypes.join(', ')}
        </DescriptionItem>
        <DescriptionItem name="Last event">
          <code>{lastEventId}</code>
        </DescriptionItem>
        <DescriptionItem name="Endpoint ID">
          <code>{id}</code>
        </DescriptionItem>
        {previousSecretExpiresAt !== null && (
          <DescriptionItem name="Previous secret">
            Also valid until <Timestamp at={previousSecretExpiresAt} />
          </DescriptionItem>
        )}
        <DescriptionItem name="Created">
          <Timestamp at={createdAt} />
        </DescriptionItem>
      </DescriptionList>
      <section>
        <h2>Send test</h2>
        <p>
          Sends an event of the type <code>webhook_endpoint.test</code>, and waits up to 15 seconds for the
          response.
        </p>
        <ButtonForm action={`${address}/test`}>Send test</ButtonForm>
      </section>
      <AttemptsSection attempts={attempts} address={address} />
      {pausedAt === null && (
        <section>
          <h2>Pause</h2>
          <p>Stops deliveries until you resume them. Events are kept for a limited time.</p>
          <ButtonForm action={`${address}/pause`}>Pause</ButtonForm>
        </section>
      )}
      <ResumeForm isPaused={pausedAt !== null} values={values} action={`${address}/resume`} />
      <section>
        <h2>Replace the secret</h2>
        <p>Creates a new secret, which is shown once. The present one also signs for a day.</p>
        <p>
          <a class="button secondary" href={`${address}/rotate_secret`}>
            Replace secret
          </a>
        </p>
      </section>
      <section>
        <h2>Delete</h2>
        <p>Deletes this endpoint. The next page asks for confirmation.</p>
        <p>
          <a class="button danger" href={`${address}/delete`}>
            Delete endpoint
          </a>
        </p>
      </section>
    </>
  );
}
