import { isAdministrator } from '../../../platform/pages/audience.js';
import type { PageContext, PageView } from '../../../platform/pages/page-context.js';
import { type Employee, fullName } from '../employee.js';
import { StatusBadge } from './directory-columns.js';
import { employeeAddress } from './employee-addresses.js';
import { Avatar } from './person.js';

type Tab = 'overview' | 'changes';

/** What the pages of an employee have in common: the header card, and for owners and administrators the tabs. */
export function employeeFrame(
  { user }: PageContext,
  employee: Employee,
  tab: Tab,
): { readonly heading: PageView['heading']; readonly tabs: PageView['body'] } {
  const mayChange = isAdministrator(user);
  return {
    heading: <Header employee={employee} mayChange={mayChange} />,
    tabs: mayChange && <Tabs {...employee} current={tab} />,
  };
}

function Header({ employee, mayChange }: { employee: Employee; mayChange: boolean }) {
  const { id, status } = employee;
  const place = [employee.jobTitle, employee.department, employee.location].filter(Boolean);
  return (
    <header class="profile">
      <Avatar person={employee} large />
      <div>
        <h1>
          <bdi>{fullName(employee)}</bdi> <StatusBadge status={status} />
        </h1>
        <p>
          {place.map((text, index) => (
            <>
              {index > 0 && ' · '}
              <bdi>{text}</bdi>
            </>
          ))}
        </p>
      </div>
      {mayChange && (
        <div class="row-actions">
          <a class="button secondary" href={employeeAddress(id, 'edit')}>
            Edit
          </a>
          <a class="button danger" href={employeeAddress(id, 'delete')}>
            Delete
          </a>
        </div>
      )}
    </header>
  );
}

function Tabs({ id, current }: Pick<Employee, 'id'> & { current: Tab }) {
  const link = (tab: Tab, label: string, address: string) => (
    <li>
      <a href={address} {...(tab === current && { 'aria-current': 'page' })}>
        {label}
      </a>
    </li>
  );
  return (
    <nav aria-label="Employee" class="tabs">
      <ul>
        {link('overview', 'Overview', employeeAddress(id))}
        {link('changes', 'Changes', employeeAddress(id, 'changes'))}
      </ul>
    </nav>
  );
}
