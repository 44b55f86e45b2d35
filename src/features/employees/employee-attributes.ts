import {
  type AttributeName,
  type AttributeValues,
  type ContractAttribute,
  contractAttributes,
  memberOf,
} from '../../platform/contract/employee-attributes.js';

export type {
  AttributeName,
  AttributeType,
  AttributeValues,
  OptionalMember,
} from '../../platform/contract/employee-attributes.js';

interface Presentation {
  /** Heading of the attribute in reports and on pages. */
  readonly label: string;
  /** The part of the page of an employee that shows the attribute. */
  readonly section: EmployeeSection;
  /** Whether the directory shows the attribute, as text, beside the columns that the page defines. */
  readonly inDirectory?: true;
  /** Values for the demo employees, repeated in turn. Absent: `demo-data/fill.ts` computes them. */
  readonly demoValues?: readonly (string | null)[];
}

/** The parts of the page of an employee, in their order. */
export const employeeSections = ['Employment', 'Contact', 'Organization'] as const;

type EmployeeSection = (typeof employeeSections)[number];

/** Properties of the attributes that the contract does not define. See docs/adding-an-employee-attribute.md. */
const presentations: Readonly<Record<AttributeName, Presentation>> = {
  employee_number: { label: 'Employee number', section: 'Employment' },
  first_name: { label: 'First name', section: 'Contact' },
  last_name: { label: 'Last name', section: 'Contact' },
  email: { label: 'E-mail', section: 'Contact' },
  status: { label: 'Status', section: 'Employment' },
  department: {
    label: 'Department',
    section: 'Organization',
    // The number of occurrences of a department determines its size.
    demoValues: (
      'Engineering,Sales,Engineering,Customer Success,Operations,Engineering,Marketing,Finance,Sales,Product,' +
      'Engineering,People,Customer Success,Operations,Design,Sales,Legal'
    ).split(','),
  },
  job_title: {
    label: 'Job title',
    section: 'Employment',
    // In the order of the departments, twice.
    demoValues: (
      'Engineering Manager,Head of Sales,Software Engineer,Customer Success Manager,Operations Manager,' +
      'Senior Software Engineer,Content Strategist,Accountant,Account Executive,Product Manager,' +
      'Site Reliability Engineer,HR Business Partner,Support Specialist,Office Manager,Product Designer,' +
      'Sales Development Representative,Legal Counsel,' +
      'Software Engineer,Account Executive,Senior Software Engineer,Support Specialist,Logistics Coordinator,' +
      'Data Engineer,Marketing Manager,Financial Analyst,Account Executive,Product Manager,' +
      'Software Engineer,Recruiter,Onboarding Specialist,Facilities Coordinator,UX Researcher,' +
      'Sales Engineer,Contract Manager'
    ).split(','),
  },
  location: {
    label: 'Location',
    section: 'Organization',
    inDirectory: true,
    demoValues: [
      ...'London,Berlin,London,Lisbon,London,New York,Berlin,London,Singapore,New York,Lisbon,London'.split(
        ',',
      ),
      null,
    ],
  },
  hire_date: { label: 'Hire date', section: 'Employment' },
  termination_date: { label: 'Termination date', section: 'Employment' },
  manager_id: { label: 'Manager', section: 'Organization' },
  updated_at: { label: 'Updated at', section: 'Employment' },
};

export interface EmployeeAttribute extends ContractAttribute, Presentation {
  /** Member of {@link AttributeValues} that contains its value. */
  readonly member: keyof AttributeValues;
}

/** The attributes of an employee in the order of the contract. */
export const employeeAttributes: readonly EmployeeAttribute[] = contractAttributes.map((attribute) => ({
  ...attribute,
  ...presentations[attribute.name],
  member: memberOf(attribute.name),
}));

/** Label of an attribute. A name that this version does not know is its own label. */
export function attributeLabel(name: string): string {
  return employeeAttributes.find((attribute) => attribute.name === name)?.label ?? name;
}

/** The attributes that callers provide: all except the time of the last change. */
export type GivenValues = Omit<AttributeValues, 'updatedAt'>;

export interface GivenAttribute extends EmployeeAttribute {
  readonly member: keyof GivenValues;
}

export const givenAttributes: readonly GivenAttribute[] = employeeAttributes.filter(
  (attribute): attribute is GivenAttribute => attribute.member !== 'updatedAt',
);

/** The statuses that this version knows. Others are shown without a colour. */
export const knownStatuses = ['active', 'on_leave', 'inactive', 'terminated'] as const;

/** A status as text: `on_leave` becomes "On leave". */
export function formatStatus(status: string): string {
  const words = status.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
