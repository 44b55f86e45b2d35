import { isDateText } from '../../../platform/contract/outside-text.js';
import { DescriptionItem, DescriptionList } from '../../../platform/pages/form-parts.js';
import { DateInWords } from '../../../platform/pages/timestamp.js';
import type { CustomAttribute, CustomType } from '../custom-attributes.js';
import { customValue, formatCustomValue } from '../custom-values.js';
import type { CustomValue, CustomValues } from '../employee.js';
import type { AttributeType } from '../employee-attributes.js';
import { booleanLabel } from './custom-form.js';
import { employeeAddress } from './employee-addresses.js';

/** The part of the page of an employee with custom attributes. */
export function CustomSection({
  attributes,
  values,
  names,
}: {
  attributes: readonly CustomAttribute[];
  values: CustomValues;
  names: EmployeeNames;
}) {
  if (attributes.length === 0) return null;
  return (
    <section>
      <h2>More</h2>
      <DescriptionList>
        {attributes.map(({ key, label, type }) => (
          <DescriptionItem key={key} name={label}>
            <ShownValue type={type} value={customValue(values, key)} names={names} />
          </DescriptionItem>
        ))}
      </DescriptionList>
    </section>
  );
}

/** A value; a dash for none. */
function ShownValue({
  type,
  value,
  names,
}: {
  type: CustomType;
  value: CustomValue | undefined;
  names: EmployeeNames;
}) {
  if (value === undefined) return <>–</>;
  if (typeof value !== 'object')
    return <AttributeText {...{ type, names }} text={formatCustomValue(value)} />;
  return (
    <ul class="plain">
      {value.map((choice) => (
        <li key={choice}>
          <bdi>{choice}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** Names of employees by id. */
export type EmployeeNames = ReadonlyMap<string, string>;

/** The name of an employee, who can have been deleted, with a link to the page. */
export function NameLink({ id, names }: { id: string; names: EmployeeNames }) {
  const name = names.get(id);
  if (name === undefined) return <span class="note">a deleted employee</span>;
  return (
    <a href={employeeAddress(id)}>
      <bdi>{name}</bdi>
    </a>
  );
}

/**
 * A value as {@link formatCustomValue} formats it.
 *
 * @param names those of the employees that values of the page refer to
 */
export function AttributeText({
  type,
  text,
  names,
}: {
  type: CustomType | AttributeType;
  text: string;
  names: EmployeeNames;
}) {
  if (type === 'employee') return <NameLink id={text} names={names} />;
  if (type === 'date' && isDateText(text)) return <DateInWords date={text} />;
  if (type === 'boolean') return <bdi>{booleanLabel(text)}</bdi>;
  return <bdi class={type === 'long_text' ? 'lines' : undefined}>{text}</bdi>;
}
