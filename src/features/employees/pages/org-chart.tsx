import { numberText } from '../../../platform/counted.js';
import { Empty } from '../../../platform/pages/data-table.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { directoryPath } from '../../../platform/pages/paths.js';
import { fullName } from '../employee.js';
import { maximumCount, type OrganisationNode } from '../organisation.js';
import { employeeAddress, orgChartAddress } from './employee-addresses.js';
import { Person } from './person.js';
import { type EmployeePagesDependencies, requestedEmployee } from './requested.js';

/** Direct reports that the chart shows for each person at the top, and for each of those the reports of the next level. */
const sizesOfTop = [10];
const sizesOfOne = [50, 10];

/** The org chart: nested lists, of which each page has a few levels, for every signed-in user. */
export function orgChartPages(site: PageRouter, dependencies: EmployeePagesDependencies): void {
  const { organisation } = dependencies;

  site.get(orgChartAddress(), async ({ user: { accountId } }) => {
    const { nodes, more } = await organisation.top(accountId, sizesOfTop);
    const [only] = nodes;
    if (only !== undefined && nodes.length === 1 && !more)
      return { redirect: orgChartAddress(only.person.id) };
    return {
      title: 'Org chart',
      body:
        nodes.length === 0 ? (
          <Empty title="No employee has a manager yet.">
            <p>
              The org chart shows who reports to whom, as the managers of employees say.{' '}
              <a href={directoryPath}>Go to People</a>
            </p>
          </Empty>
        ) : (
          <>
            <p class="hint">
              {more
                ? 'Some of the people without a manager, with their direct reports. Open the page of another person to see the chart from there.'
                : 'The people without a manager who have direct reports.'}
            </p>
            <ul class="tree">
              {nodes.map((node) => (
                <Node key={node.person.id} node={node} open />
              ))}
            </ul>
          </>
        ),
    };
  });

  site.get(orgChartAddress(':employee_id'), async (context) => {
    const person = await requestedEmployee(context, dependencies);
    const { above, node } = await organisation.around(context.user.accountId, person, sizesOfOne);
    const name = fullName(person);
    return {
      title: `Org chart of ${name}`,
      parent: { title: 'Org chart', href: orgChartAddress() },
      body: (
        <>
          {above.length > 0 && (
            <nav aria-label="Managers above" class="crumbs">
              <ol>
                {above.map((manager) => (
                  <li key={manager.id}>
                    <a href={orgChartAddress(manager.id)}>
                      <bdi>{fullName(manager)}</bdi>
                    </a>
                  </li>
                ))}
              </ol>
            </nav>
          )}
          <ul class="tree">
            <Node node={node} open />
          </ul>
          {node.count === 0 && <p class="hint">No direct reports.</p>}
        </>
      ),
    };
  });
}

/** A person with the reports below. Reports that the page does not have are linked. */
function Node({
  node: { person, count, reports },
  open = false,
}: {
  node: OrganisationNode;
  open?: boolean;
}) {
  const missing = count - reports.length;
  return (
    <li>
      <Person person={person} />
      {reports.length > 0 && (
        <details open={open}>
          <summary>{describeCount(count)}</summary>
          <ul>
            {reports.map((report) => (
              <Node key={report.person.id} node={report} />
            ))}
            {missing > 0 && (
              <li>
                <a href={employeeAddress(person.id)}>
                  {formatCount(missing)} more <span class="unseen">who report to {fullName(person)}</span>
                </a>
              </li>
            )}
          </ul>
        </details>
      )}
      {reports.length === 0 && count > 0 && (
        <p class="deeper">
          <a href={orgChartAddress(person.id)}>
            {describeCount(count)} <span class="unseen">of {fullName(person)}</span>
          </a>
        </p>
      )}
    </li>
  );
}

function describeCount(count: number): string {
  return count === 1 ? '1 direct report' : `${formatCount(count)} direct reports`;
}

/** A number; "1,000+" for those that are not counted. */
function formatCount(count: number): string {
  const limit = numberText(maximumCount);
  return count > maximumCount ? `${limit}+` : numberText(count);
}
