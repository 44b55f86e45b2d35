import { contractAnd, fullAccess } from '../../../platform/contract/attribute-access.js';
import { numberText } from '../../../platform/counted.js';
import { isAdministrator } from '../../../platform/pages/audience.js';
import { DescriptionItem, DescriptionList } from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { lastPage, Pager, pageNumber } from '../../../platform/pages/pager.js';
import { DateInWords, Timestamp } from '../../../platform/pages/timestamp.js';
import { Email } from '../../../platform/pages/wrapped-text.js';
import type { CustomAttribute } from '../custom-attributes.js';
import { referencedIds } from '../custom-references.js';
import { type Employee, fullName } from '../employee.js';
import { type EmployeeAttribute, employeeAttributes, employeeSections } from '../employee-attributes.js';
import { CustomSection, type EmployeeNames } from './custom-section.js';
import { StatusBadge } from './directory-columns.js';
import { employeeAddress, orgChartAddress } from './employee-addresses.js';
import { employeeFrame } from './employee-header.js';
import { Person } from './person.js';
import { type EmployeePagesDependencies, managerOf, requestedEmployee } from './requested.js';

/** The value of an attribute as text; a dash for none. */
function AttributeValue({
  attribute: { name, member, type },
  employee,
  manager,
}: {
  attribute: EmployeeAttribute;
  employee: Employee;
  manager: Employee | null;
}) {
  if (name === 'manager_id') return manager === null ? <>–</> : <EmployeeLink employee={manager} />;
  const value = employee[member];
  if (value === null || value === '') return <>–</>;
  if (value instanceof Date) return <Timestamp at={value} />;
  if (type === 'date') return <DateInWords date={value} />;
  if (name === 'email') return <Email address={value} />;
  if (name === 'status') return <StatusBadge status={value} />;
  return <bdi>{value}</bdi>;
}

/** The name of an employee as a link to its page. */
function EmployeeLink({ employee }: { employee: Employee }) {
  return (
    <a href={employeeAddress(employee.id)}>
      <bdi>{fullName(employee)}</bdi>
    </a>
  );
}

const reportsPerPage = 50;

/** What a user sees of custom attributes. */
interface VisibleCustom {
  /** Without sensitive ones for members. */
  readonly attributes: readonly CustomAttribute[];
  /** When a value that the user sees was last changed. */
  readonly updatedAt: Date;
  /** Names of the employees that the values refer to. */
  readonly names: EmployeeNames;
}

async function visibleCustom(
  { user }: PageContext,
  { employees }: Pick<EmployeePagesDependencies, 'employees'>,
  employee: Employee,
): Promise<VisibleCustom> {
  const { id, updatedAt } = employee;
  const all = await employees.customAttributes(user.accountId);
  const seesAll = isAdministrator(user);
  const attributes = seesAll ? all : all.filter(({ sensitive }) => !sensitive);
  if (attributes.length === 0) return { attributes, updatedAt, names: new Map() };
  const access = seesAll ? fullAccess : contractAnd(attributes.map(({ key }) => key));
  const [lastChange, names] = await Promise.all([
    employees.lastChange(user.accountId, { id, access }),
    employees.names(user.accountId, new Set(referencedIds(employee, attributes))),
  ]);
  return { attributes, updatedAt: lastChange ?? updatedAt, names };
}

/** The page of an employee, for every signed-in user. */
export function showEmployeePages(site: PageRouter, dependencies: EmployeePagesDependencies): void {
  const { employees } = dependencies;

  site.get(employeeAddress(':employee_id'), async (context) => {
    const employee = await requestedEmployee(context, dependencies);
    const number = pageNumber(context.query);
    const [manager, custom, { employees: reports, recordCount }] = await Promise.all([
      managerOf(context, dependencies, employee),
      visibleCustom(context, dependencies, employee),
      employees.directReports(context.user.accountId, employee.id, {
        size: reportsPerPage,
        skip: (number - 1) * reportsPerPage,
      }),
    ]);
    const last = lastPage(recordCount, reportsPerPage);
    if (number > last) return { redirect: pageAddress(employee, last) };
    const shown = { ...employee, updatedAt: custom.updatedAt };
    const { heading, tabs } = employeeFrame(context, employee, 'overview');
    return {
      title: fullName(employee),
      heading,
      body: (
        <>
          {tabs}
          <div class="record">
            {employeeSections.map((section) => (
              <section key={section}>
                <h2>{section}</h2>
                <DescriptionList>
                  {employeeAttributes
                    .filter((attribute) => attribute.section === section)
                    .map((attribute) => (
                      <DescriptionItem key={attribute.name} name={attribute.label}>
                        <AttributeValue {...{ attribute, manager }} employee={shown} />
                      </DescriptionItem>
                    ))}
                </DescriptionList>
              </section>
            ))}
            <CustomSection attributes={custom.attributes} values={employee.custom} names={custom.names} />
          </div>
          <section>
            <div class="heading">
              <h2>Direct reports</h2>
              <a href={orgChartAddress(employee.id)}>Show in the org chart</a>
            </div>
            <p class="hint">{describeCount(recordCount)}</p>
            {reports.length > 0 && (
              <ul class="plain people-list">
                {reports.map((report) => (
                  <li key={report.id}>
                    <Person person={report} />
                  </li>
                ))}
              </ul>
            )}
            <Pager number={number} last={last} address={(page) => pageAddress(employee, page)} />
          </section>
        </>
      ),
    };
  });
}

function pageAddress({ id }: Employee, page: number): string {
  return page === 1 ? employeeAddress(id) : `${employeeAddress(id)}?page=${page}`;
}

function describeCount(count: number): string {
  if (count === 0) return 'No direct reports.';
  return count === 1 ? '1 person' : `${numberText(count)} people`;
}
