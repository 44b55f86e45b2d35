import { dayMilliseconds } from '../../../platform/clock.js';
import { importPath, reportsPath, settings } from '../../../platform/pages/paths.js';
import type { AccountSetup, Figures } from '../home-figures.js';

/** How long the checklist is shown to an account with employees, in days. */
const shownDays = 30;

/** What a new account sets up first. Nothing when all is done, or the account is not new. */
export function SetupChecklist({
  figures: { total, reports },
  setup: { createdAt, hasColleague, hasApplication },
  at,
}: {
  figures: Figures;
  setup: AccountSetup;
  at: Date;
}) {
  const steps = [
    {
      title: 'Import your people',
      href: importPath,
      text: 'An Excel or CSV file of employees.',
      isDone: total > 0,
    },
    {
      title: 'Invite a colleague',
      href: `${settings.users}/invite`,
      text: 'Another owner, an administrator, or a member who looks people up.',
      isDone: hasColleague,
    },
    {
      title: 'Create a report',
      href: `${reportsPath}/new`,
      text: 'A list or a chart, which colleagues and applications can open.',
      isDone: reports > 0,
    },
    {
      title: 'Register an application',
      href: `${settings.applications}/new`,
      text: 'Access to the API for payroll, directories and your own programs.',
      isDone: hasApplication,
    },
  ];
  const done = steps.filter(({ isDone }) => isDone).length;
  const isNew = total === 0 || at.getTime() - createdAt.getTime() < shownDays * dayMilliseconds;
  if (done === steps.length || !isNew) return null;
  return (
    <section class="setup" aria-labelledby="setup">
      <h2 id="setup">Set up your account</h2>
      <p class="hint">
        {done} of {steps.length} done
      </p>
      <ol>
        {steps.map(({ title, href, text, isDone }) => (
          <li key={href} {...(isDone && { class: 'done' })}>
            <div>
              {isDone ? title : <a href={href}>{title}</a>}
              {isDone && <span class="unseen"> (done)</span>}
              <span class="hint">{text}</span>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
