import type { ComponentChildren } from 'preact';
import { numberText } from '../../../platform/counted.js';
import { homeSection, isAdministrator } from '../../../platform/pages/audience.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { directoryPath, homePath, reportsPath, settings } from '../../../platform/pages/paths.js';
import { Timestamp, timeZoneOf } from '../../../platform/pages/timestamp.js';
import { auditEventLabel } from '../../audit-log/index.js';
import {
  currentEmployees,
  employeeAddress,
  fullName,
  joinersIn,
  leaversIn,
  maximumRead,
  selectionAddress,
  sharedEmail,
  withoutManager,
} from '../../employees/index.js';
import type { Figures } from '../home-figures.js';
import type { createHome } from '../index.js';
import type { RecentChange } from '../recent-changes.js';
import { SetupChecklist } from './setup-checklist.js';

const shownChanges = 8;

/** Home, for owners and administrators. Members are redirected to the directory. */
export function homePage(
  site: PageRouter,
  { homeFigures, recentChanges }: ReturnType<typeof createHome>,
): void {
  site.get(homePath, async ({ user, query, auditContext: { accountId, userId, at } }) => {
    if (!isAdministrator(user)) {
      const notice = query.text('notice');
      const search = notice === '' ? '' : `?${new URLSearchParams({ notice })}`;
      return { redirect: `${directoryPath}${search}` };
    }
    const month = monthOf(at, timeZoneOf(user));
    const [figures, setup, changes] = await Promise.all([
      homeFigures.figures(accountId, month),
      homeFigures.setup(accountId, { userId, at }),
      recentChanges.list(accountId, shownChanges),
    ]);
    return {
      title: 'Home',
      section: homeSection,
      body: (
        <>
          <SetupChecklist {...{ figures, setup, at }} />
          {figures.total > 0 && <FigureList {...{ figures, month }} />}
          {figures.total > 0 && <DataProblems {...figures} />}
          <Changes changes={changes} />
        </>
      ),
    };
  });
}

/** The month of a time in a time zone, `YYYY-MM`. */
function monthOf(at: Date, timeZone: string): string {
  // The locale that writes dates in this form.
  return new Intl.DateTimeFormat('sv', { timeZone, year: 'numeric', month: '2-digit' }).format(at);
}

/** Numbers of people. Each link leads to these people. */
function FigureList({ figures: { headcount, onLeave, read }, month }: { figures: Figures; month: string }) {
  return (
    <section aria-labelledby="figures">
      <h2 id="figures" class="unseen">
        Figures
      </h2>
      <ul class="figures">
        <Figure label="Headcount" value={headcount} href={selectionAddress(currentEmployees)} />
        {read !== null && (
          <>
            <Figure
              label="Joiners this month"
              value={read.joiners}
              href={selectionAddress(joinersIn(month))}
            />
            <Figure
              label="Leavers this month"
              value={read.leavers}
              href={selectionAddress(leaversIn(month))}
            />
          </>
        )}
        <Figure label="On leave" value={onLeave} href={`${directoryPath}?status=on_leave`} />
      </ul>
    </section>
  );
}

function Figure({ label, value, href }: { label: string; value: number; href: string }) {
  return (
    <li>
      <a href={href}>
        <span>{label}</span> <strong>{numberText(value)}</strong>
      </a>
    </li>
  );
}

/** Records that are probably incomplete or wrong. */
function DataProblems({ read }: Pick<Figures, 'read'>) {
  return (
    <section aria-labelledby="data-problems">
      <h2 id="data-problems">Data problems</h2>
      <DataProblemList read={read} />
    </section>
  );
}

function DataProblemList({ read }: Pick<Figures, 'read'>) {
  if (read === null) {
    return (
      <p class="note">
        Joiners, leavers and data problems are counted in accounts with up to {numberText(maximumRead)}{' '}
        employees. Create a <a href={reportsPath}>report</a> instead.
      </p>
    );
  }
  const problems = [
    // The head of an organization has no manager.
    read.withoutManager > 1 && {
      text: `${numberText(read.withoutManager)} without manager`,
      href: selectionAddress(withoutManager),
    },
    read.sharedAddresses > 0 && {
      text: `${numberText(read.sharedAddresses)} shared e-mail ${read.sharedAddresses === 1 ? 'address' : 'addresses'}`,
      href: selectionAddress(sharedEmail),
    },
  ].filter((problem) => problem !== false);
  if (problems.length === 0) return <p class="note">None found.</p>;
  return (
    <ul class="rows">
      {problems.map(({ text, href }) => (
        <li key={href}>
          <a href={href}>{text}</a>
        </li>
      ))}
    </ul>
  );
}

function Changes({ changes }: { changes: readonly RecentChange[] }) {
  return (
    <section aria-labelledby="changes">
      <div class="heading">
        <h2 id="changes">Recent changes</h2>
        <a href={`${settings.root}/audit_log`}>Audit log</a>
      </div>
      {changes.length === 0 ? (
        <p class="note">Changes of employees, reports, applications and users appear here.</p>
      ) : (
        <ul class="rows changes">
          {changes.map((change) => (
            <li key={change.entry.id}>
              <div>
                {auditEventLabel(change.entry.type)} <Subject {...change} />
                <span class="hint">{describeActor(change.entry)}</span>
              </div>
              <span class="hint">
                <Timestamp at={change.entry.createdAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** What was changed, if the event or the record names it. */
function Subject({ entry: { details }, employee }: RecentChange): ComponentChildren {
  if (employee !== undefined) {
    return (
      <a href={employeeAddress(employee.id)}>
        <bdi>{fullName(employee)}</bdi>
      </a>
    );
  }
  const name = [details.title, details.name, details.file, details.email].find(
    (value) => typeof value === 'string',
  );
  return name === undefined ? null : (
    <strong>
      <bdi>{name}</bdi>
    </strong>
  );
}

function describeActor({ userName, userId, applicationName, applicationId }: RecentChange['entry']): string {
  if (userId !== null) return userName ?? 'Deleted user';
  if (applicationId !== null) return applicationName ?? 'Deleted application';
  return 'Operator';
}
