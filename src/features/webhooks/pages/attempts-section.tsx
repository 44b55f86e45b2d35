import type { User } from '../../../platform/accounts/user.js';
import { Badge } from '../../../platform/pages/badge.js';
import { type Column, DataTable } from '../../../platform/pages/data-table.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import { keptAttempts } from '../delivery/store-outcomes.js';
import type { WebhookDelivery } from '../webhook-deliveries.js';

/** The last attempts to deliver events to an endpoint, newest first. */
export function AttemptsSection({
  deliveries,
  reader,
}: {
  deliveries: readonly WebhookDelivery[];
  reader: User;
}) {
  return (
    <section>
      <h2>Last attempts</h2>
      {deliveries.length === 0 ? (
        <p>Nothing was sent yet.</p>
      ) : (
        <>
          <p>The last {keptAttempts} attempts are kept.</p>
          <DataTable
            caption="Last attempts, newest first"
            columns={columnsFor(reader)}
            rows={deliveries}
            rowKey={({ id }) => id}
          />
        </>
      )}
    </section>
  );
}

function columnsFor(reader: User): Column<WebhookDelivery>[] {
  const column = (label: string, cell: Column<WebhookDelivery>['cell']): Column<WebhookDelivery> => {
    return { key: label, heading: label, label, cell };
  };
  return [
    column('When', ({ attemptedAt }) => <Timestamp at={attemptedAt} reader={reader} />),
    column('Result', Result),
    column('Duration', ({ durationMs }) => <span class="whole">{durationMs.toLocaleString('en')} ms</span>),
    column('Events', ({ events, lastEventId }) => (lastEventId === null ? 'Test' : events)),
    column('Start of the response', ({ response, error }) =>
      error === null && response !== null && response !== '' ? <code>{response}</code> : (error ?? '–'),
    ),
    column('Delivery', ({ deliveryId }) => <code>{deliveryId}</code>),
  ];
}

function Result({ status }: WebhookDelivery) {
  if (status === null) return <Badge tone="ended">No response</Badge>;
  return <Badge tone={status >= 200 && status < 300 ? 'good' : 'ended'}>{status}</Badge>;
}
