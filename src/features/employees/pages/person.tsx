import { createHash } from 'node:crypto';
import { type Employee, fullName } from '../employee.js';
import { employeeAddress } from './employee-addresses.js';

/** Number of the colours in `people.css`. */
const tints = 8;

/** The initials of a person in a circle, whose colour is the same on all pages. Only decoration: the name is beside it. */
export function Avatar({
  person: { id, firstName, lastName },
  large = false,
}: {
  person: Pick<Employee, 'id' | 'firstName' | 'lastName'>;
  large?: boolean;
}) {
  // The last characters of ids are consecutive numbers.
  const tint = (createHash('sha256').update(id).digest()[0] ?? 0) % tints;
  const initials = [firstName, lastName].map(firstCharacter).join('');
  return (
    <bdi class={`avatar tint-${tint}${large ? ' large' : ''}`} aria-hidden="true">
      {initials}
    </bdi>
  );
}

/** The first character that is a letter or a digit, in upper case. */
function firstCharacter(name: string): string {
  return /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase() ?? '';
}

/** A person with name and job title, linked to the page of the person. */
export function Person({ person }: { person: Employee }) {
  return (
    <div class="person">
      <Avatar person={person} />
      <div>
        <a href={employeeAddress(person.id)}>
          <bdi>{fullName(person)}</bdi>
        </a>
        <JobTitle person={person} />
      </div>
    </div>
  );
}

/** The job title below a name. */
export function JobTitle({ person: { jobTitle } }: { person: Pick<Employee, 'jobTitle'> }) {
  return jobTitle === null ? null : (
    <span class="hint">
      <bdi>{jobTitle}</bdi>
    </span>
  );
}
